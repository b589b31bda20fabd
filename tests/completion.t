#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the shells complete what the programs say, and are the manual pages whole?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 PATH=$BIN:$PATH

# completed WORD...: what bash makes of a line, on one line.
completed() {
	(
		# shellcheck source=dist/completion/tuesday.bash
		. dist/completion/tuesday.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
		COMP_POINT=${#COMP_LINE}
		_tuesday "$1" 2>/dev/null
		printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
	)
}
is "$(completed tuesday re)" "record redact report retype " "bash completes commands"
is "$(completed tuesday run cp)" "cpu " "and checks"
is "$(completed tuesday dis)" "disk " "which are commands, too"
is "$(completed tuesday run --qu)" "--quick --quiet " "and a command's options"
is "$(completed tuesday mute --re)" "--reason= " "which are its own"
is "$(completed tuesday run -o pro)" "prometheus " "and formats"
is "$(completed cpuhealth --led)" "--ledger " "a health tool has its options, too"
if command -v fish >/dev/null; then
	is "$(fish --no-config -c '. dist/completion/tuesday.fish; complete -C "tuesday re"' 2>/dev/null | cut -f 1 | grep -c '^re')" 4 \
		"fish completes commands"
else
	skip "fish completes commands" "needs the program fish"
fi
if command -v zsh >/dev/null; then
	t "zsh takes its file" zsh -n dist/completion/_tuesday
else
	skip "zsh takes its file" "needs the program zsh"
fi

# plain_of FILE: without what makes letters bold.
plain_of() {
	sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' "$1"
}
dist/man/pages "$BIN" "$work/man" 1.2 docs >"$work/out" 2>&1
is "$?" 0 "the manual pages are made"
why <"$work/out"
commands=$("$BIN/tuesday" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
missing=
for command in $commands; do
	[ -s "$work/man/tuesday-$command.1" ] || missing+=" tuesday-$command"
done
for link in "$BIN"/*health "$BIN"/*diagnose; do
	[ -s "$work/man/$(basename "$link").1" ] || missing+=" $(basename "$link")"
done
is "$missing" "" "each command, check and tool has one"
t "and so have check files" [ -s "$work/man/tuesday-checks.5" ]
if command -v groff >/dev/null; then
	groff -K utf8 -ww -man -Tutf8 "$work"/man/* >"$work/shown" 2>"$work/wrong"
	is "$(wc -l <"$work/wrong")" 0 "groff warns of none"
	why <"$work/wrong"
	is "$(plain_of "$work/shown" | grep -c '^NAME$')" "$(find "$work/man" -type f | wc -l)" "and shows each"
	is "$(plain_of <(groff -K utf8 -man -Tutf8 "$work/man/tuesday-run.1" 2>/dev/null) | grep -c -- '^ *--quick$')" 1 \
		"an option is shown"
else
	skip "groff warns of none" "needs the program groff"
fi
plan
