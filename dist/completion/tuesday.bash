# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of Tuesday's programs for bash. What there is to complete, the programs say themselves: --help and list.

# Words of a help text: its commands, or its options.
_tuesday_commands() {
	"$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'
}
_tuesday_options() {
	"$@" --help 2>/dev/null | sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z][a-z-]*=?).*/\2/p'
}
_tuesday_checks() {
	"$1" list 2>/dev/null | sed 's/ .*//'
}

_tuesday() {
	local program=$1 word=${COMP_WORDS[COMP_CWORD]} command=() words

	[ "$word" != = ] || word=
	case $(basename "$program") in
	tuesday)
		[ "$COMP_CWORD" -le 1 ] || [[ ${COMP_WORDS[1]} == -* ]] || command=("${COMP_WORDS[1]}")
		;;
	esac
	if [ "${COMP_WORDS[COMP_CWORD - 1]}" = -o ] || [[ ${COMP_LINE:0:COMP_POINT} == *--output=* && $word != -* ]]; then
		words=$("$program" "${command[@]}" --help 2>/dev/null | sed -n 's/^  \{20,\}  *\([a-z][a-z]*\)  .*/\1/p')
	elif [[ $word == -* ]]; then
		words=$(_tuesday_options "$program" "${command[@]}")
	elif [ "$(basename "$program")" != tuesday ]; then
		words=
	elif [ "$COMP_CWORD" -le 1 ]; then
		words="$(_tuesday_commands "$program") $(_tuesday_checks "$program")"
	else
		words=$(_tuesday_checks "$program")
	fi
	# shellcheck disable=SC2207
	COMPREPLY=($(compgen -W "$words" -- "$word"))
	[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
}

complete -o default -F _tuesday tuesday
for _tuesday_program in $(compgen -c | grep -E '^[a-z0-9-]+(health|diagnose)$' | sort -u); do
	if [ "$(readlink "$(type -P "$_tuesday_program")" 2>/dev/null)" = tuesday ]; then
		complete -o default -F _tuesday "$_tuesday_program"
	fi
done
unset _tuesday_program
