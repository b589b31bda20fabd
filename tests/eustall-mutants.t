#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the tests of the EU-stall decoder notice each mistake that it could have? Every position in its
# tables is moved by a bit, active and PSDepStall are exchanged, lanes run over: a copy of it with one
# such mistake has to fail.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cc=${CC:-gcc}
command -v "$cc" >/dev/null || {
	echo "1..0 # SKIP needs $cc"
	exit 0
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-std=gnu17 -D_GNU_SOURCE -O1 -w -include "$root/lib/banned.h" -I"$scratch" -I"$root/lib" -I"$root" -I"$root/tests/unit")
decoder=(eustall.c eustalltable.c eustallfast.h)

# Everything but the decoder stays as it is.
others=()
for file in tests/unit/eustall.c lib/sources/gpu/eustall_reasons.c lib/stats/random.c lib/base/str.c; do
	object=$scratch/$(echo "$file" | tr / _).o
	"$cc" "${flags[@]}" -c -o "$object" "$root/$file" || exit 1
	others+=("$object")
done

# run_tests: those of the decoder in $scratch; 99 where it does not even compile.
run_tests() {
	"$cc" "${flags[@]}" -o "$scratch/test" "$scratch"/eustall.c "$scratch"/eustalltable.c \
		"${others[@]}" -lm || return 99
	timeout 20 "$scratch/test" >/dev/null 2>&1
}

fresh() {
	cp "${decoder[@]/#/$root/lib/}" "$scratch/"
}

# mutant SENTENCE FILE SCRIPT: the decoder with a mistake, made by sed, that has to be noticed.
mutant() {
	fresh
	sed -i -E "$3" "$scratch/$2"
	if cmp -s "$scratch/$2" "$root/lib/$2"; then
		fail "$1: there is no such place"
		return
	fi
	run_tests
	case $? in
	0) fail "$1: not noticed" ;;
	99) fail "$1: does not compile" ;;
	*) pass "$1" ;;
	esac
}

fresh
works "the decoder as it is passes" run_tests

# Each number of the three lines of the table, moved up by a bit.
for layout in PVC XE2 XE3P; do
	unset seen
	line=$(grep -n "\[EUSTALL_$layout\] = {\"" "$root/lib/eustall.c" | cut -d: -f1)
	declare -A seen=()
	# shellcheck disable=SC2013
	for number in $(sed -n "${line}p" "$root/lib/eustall.c" | sed 's/.*"//' | grep -oE '[ {][0-9]+'); do
		number=${number#\{}
		seen[$number]=$((${seen[$number]:-0} + 1))
		mutant "$layout: $number moved by a bit (${seen[$number]})" eustall.c \
			"${line}s/([ {])$number([,}])/\1$((number + 1))\2/${seen[$number]}"
	done
done
mutant "XE2: active and PSDepStall exchanged" eustall.c 's/29, 101, \{29,/29, 29, {101,/'
mutant "XE3P: active and PSDepStall exchanged" eustall.c 's/61, 133, \{61,/61, 61, {133,/'
mutant "lanes: active and PSDepStall exchanged" eustallfast.h 's/\? counts\[0\] : counts\[9\]/? counts[9] : counts[0]/'
mutant "lanes: PVC's active counted as PSDepStall" eustallfast.h 's/pvc \? 0 : counts\[0\]/counts[0]/'
mutant "lanes: the address a bit wider" eustallfast.h 's/FAST_IP_NARROW = 29/FAST_IP_NARROW = 30/'
mutant "lanes: the wide address a bit narrower" eustallfast.h 's/FAST_IP_WIDE = 61/FAST_IP_WIDE = 60/'
mutant "lanes: another bit for the end flag" eustallfast.h 's/FAST_END_FLAG = 19/FAST_END_FLAG = 20/'
mutant "lanes: more records than they hold" eustallfast.h 's/FAST_LANES_HOLD = 257/FAST_LANES_HOLD = 300/'
mutant "lanes: even and odd exchanged" eustallfast.h 's/counts\[2 \* i\] \+= lanes->even/counts[2 * i] += lanes->odd/'
mutant "lanes: the last two exchanged" eustallfast.h 's/counts\[8\] \+= lanes->tail \& 0xffff/counts[8] += lanes->tail >> 16/'
mutant "a full count that is not seen" eustallfast.h 's/~bytes - ones/~bytes - 2 * ones/'
mutant "a version beyond Xe3 read as Xe2" eustall.c 's/graphics_ver <= 34/graphics_ver <= 35/'
mutant "a version before Xe2 read as Xe2" eustall.c 's/graphics_ver >= 20/graphics_ver >= 12/'
plan
