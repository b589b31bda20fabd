#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the tests of the EU-stall decoder notice each mistake that it could have? Every position in its
# tables is moved by a bit, active and PSDepStall are exchanged, lanes run over: a copy of it with one
# such mistake has to fail.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/stamp.sh
. "$root/tests/stamp.sh"
export cc=${CC:-gcc}
command -v "$cc" >/dev/null || {
	echo "1..0 # SKIP needs $cc"
	exit 0
}
cd "$root" || exit 1
export decoder=lib/sources/gpu/eustall_record.c histogram=lib/sources/gpu/eustall_histogram.c \
	lanes=lib/sources/gpu/eustall_swar.h
others=(tests/unit/eustall.c lib/sources/gpu/eustall_reasons.c lib/stats/random.c lib/base/str.c)
if stamped eustall-decoder "$0" "$decoder" "$histogram" "$lanes" "${others[@]}"; then
	pass "every mistake was noticed with these very files; make check-long makes them again"
	plan
	exit
fi
export scratch
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-std=gnu17 -D_GNU_SOURCE -O0 -w -include lib/base/banned.h -iquote lib -iquote . -iquote tests/unit)

# Everything but the decoder stays as it is.
objects=()
for file in "${others[@]}"; do
	objects+=("$scratch/${file//\//,}.o")
	"$cc" "${flags[@]}" -c -o "${objects[-1]}" "$file" || exit 1
done
export words="${flags[*]}" objects_words="${objects[*]}"

# try NUMBER FILE SCRIPT: leaves in NUMBER/result what became of the decoder with a mistake, made by sed:
# the test's exit status; 98 where the place is not there, and 99 where it does not compile.
# shellcheck disable=SC2086
try() {
	local at=$scratch/$1/sources/gpu

	mkdir -p "$at"
	cp "$decoder" "$histogram" "$lanes" "$at"
	[ -z "$3" ] || sed -i -E "$3" "$at/${2##*/}"
	if [ -n "$3" ] && cmp -s "$at/${2##*/}" "$2"; then
		echo 98
	elif ! "$cc" -iquote "$scratch/$1" $words -o "$at/test" "$at"/*.c $objects_words -lm 2>/dev/null; then
		echo 99
	else
		timeout 20 "$at/test" >/dev/null 2>&1
		echo $?
	fi >"$scratch/$1/result"
	rm -rf "$at"
}
export -f try

sentences=()
# mutant SENTENCE FILE SCRIPT: to be tried, together with all others.
mutant() {
	printf '%s\0' "${#sentences[@]}" "$2" "$3" >>"$scratch/mutants"
	sentences+=("$1")
}

mutant "the decoder as it is passes" "$decoder" ""
# Each number of the three lines of the table, moved up by a bit.
for layout in PVC XE2 XE3P; do
	unset seen
	line=$(grep -n "\[EUSTALL_$layout\] = {\"" $decoder | cut -d: -f1)
	declare -A seen=()
	# shellcheck disable=SC2013
	for number in $(sed -n "${line}p" $decoder | sed 's/.*"//' | grep -oE '[ {][0-9]+'); do
		number=${number#\{}
		seen[$number]=$((${seen[$number]:-0} + 1))
		mutant "$layout: $number moved by a bit (${seen[$number]})" $decoder \
			"${line}s/([ {])$number([,}])/\1$((number + 1))\2/${seen[$number]}"
	done
done
mutant "XE2: active and PSDepStall exchanged" $decoder 's/29, 101, \{29,/29, 29, {101,/'
mutant "XE3P: active and PSDepStall exchanged" $decoder 's/61, 133, \{61,/61, 61, {133,/'
mutant "lanes: active and PSDepStall exchanged" $lanes 's/\? counts\[0\] : counts\[9\]/? counts[9] : counts[0]/'
mutant "lanes: PVC's active counted as PSDepStall" $lanes 's/pvc \? 0 : counts\[0\]/counts[0]/'
mutant "lanes: the address a bit wider" $lanes 's/FAST_IP_NARROW = 29/FAST_IP_NARROW = 30/'
mutant "lanes: the wide address a bit narrower" $lanes 's/FAST_IP_WIDE = 61/FAST_IP_WIDE = 60/'
mutant "lanes: another bit for the end flag" $lanes 's/FAST_END_FLAG = 19/FAST_END_FLAG = 20/'
mutant "lanes: more records than they hold" $lanes 's/FAST_LANES_HOLD = 257/FAST_LANES_HOLD = 300/'
mutant "lanes: even and odd exchanged" $lanes 's/counts\[2 \* i\] \+= lanes->even/counts[2 * i] += lanes->odd/'
mutant "lanes: the last two exchanged" $lanes 's/counts\[8\] \+= lanes->tail \& 0xffff/counts[8] += lanes->tail >> 16/'
mutant "a full count that is not seen" $lanes 's/~bytes - ones/~bytes - 2 * ones/'
mutant "a version beyond Xe3 read as Xe2" $decoder 's/graphics_ver <= 34/graphics_ver <= 35/'
mutant "a version before Xe2 read as Xe2" $decoder 's/graphics_ver >= 20/graphics_ver >= 12/'

# shellcheck disable=SC2016
xargs -0 -n 3 -P "$(nproc)" bash -c 'try "$@"' try <"$scratch/mutants"
is "$(cat "$scratch/0/result")" 0 "${sentences[0]}"
for ((i = 1; i < ${#sentences[@]}; i++)); do
	case $(cat "$scratch/$i/result") in
	0) fail "${sentences[i]}: not noticed" ;;
	98) fail "${sentences[i]}: there is no such place" ;;
	99) fail "${sentences[i]}: does not compile" ;;
	*) pass "${sentences[i]}" ;;
	esac
done
stamp eustall-decoder
plan
