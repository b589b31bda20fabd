#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a flaw hard to use in the programs that are shipped?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
if ! command -v readelf >/dev/null; then
	echo "1..0 # SKIP needs the program readelf"
	exit 0
fi
# What the compiler here can, as the build has asked it.
hardening=$(cat "$BUILD/hardening")

# lacks FILE: what of it an ELF file does not have, a word for each.
lacks() {
	local file=$1 header

	header=$(readelf -hldW "$file" 2>/dev/null)
	if [[ $hardening == *-static-pie* ]]; then
		grep -q 'Type: *DYN' <<<"$header" || echo "addresses that differ"
	fi
	grep -q GNU_RELRO <<<"$header" || echo "read-only relocations"
	grep -Eq 'BIND_NOW|FLAGS_1.*NOW' <<<"$header" || echo "binding at start"
	grep -q 'GNU_STACK.* RW ' <<<"$header" || echo "a stack without code"
	! grep -q 'LOAD.* RWE ' <<<"$header" || echo "memory that is either written or run"
	grep -q 'LOAD.* R  *0x' <<<"$header" || echo "code apart from data"
	! grep -q INTERP <<<"$header" || echo "all in one file"
}

for program in tuesday keepalivediagnose; do
	is "$(lacks "$BIN/$program")" "" "$program has what makes a flaw hard to use"
done
# Of what is compiled here; the C library is as its maker compiled it.
if [[ $hardening == *-fcf-protection* ]]; then
	is "$(readelf -n "$BUILD/lib/run/main.o" "$BUILD/checks.d/cpu.packed.o" | grep -c 'IBT.*SHSTK')" 2 \
		"our own code, and what is embedded, is marked for control-flow enforcement"
else
	skip "our own code, and what is embedded, is marked for control-flow enforcement" \
		"the compiler has it not"
fi
fortified=$(readelf -sW "$BIN/tuesday.debug" 2>/dev/null | grep -c '__[a-z]*printf_chk$')
is "$([ "$fortified" -gt 0 ] && echo yes)" yes "calls of the C library look at the sizes of buffers"
if command -v gdb >/dev/null; then
	is "$(gdb -batch -nx -ex 'info line cmd_merge' "$BIN/tuesday" 2>/dev/null | grep -c 'merge\.c')" 1 \
		"a debugger finds the lines of the program in the file beside it"
else
	is "$(readelf -sW "$BIN/tuesday.debug" | grep -c ' cmd_merge$')" 1 \
		"the names of functions are in the file beside it"
fi
plan
