#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a flaw hard to use in the programs that are shipped, and is it known what is inside them?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
for program in readelf jq make; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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

# What is inside.
"$BIN/tuesday" --version -v >"$work/said"
is "$(head -n 1 "$work/said")" "$("$BIN/tuesday" -v --version | head -n 1)" "-v and --version have no order"
is "$(sed 1d "$work/said" | grep -vcE '^  lib[a-z0-9]+ [0-9][^ ]* [^ ]+$')" 0 \
	"--version -v says name, version and package of each library"
make -s BUILD="$BUILD" BIN="$BIN" VERSION="$(cat "$BUILD/version")" sbom >"$work/make.out" 2>&1 || why <"$work/make.out"
bill=$BUILD/tuesday.spdx.json
# shellcheck disable=SC2016
works "the bill of materials is JSON with what SPDX 2.3 demands" jq -e '
	.spdxVersion == "SPDX-2.3" and .dataLicense == "CC0-1.0" and .SPDXID == "SPDXRef-DOCUMENT" and
	(.name | length > 0) and (.documentNamespace | startswith("https://")) and
	(.creationInfo.created | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$")) and
	(.creationInfo.creators | length > 0) and
	(.packages | all(.SPDXID and .name and .versionInfo and .downloadLocation)) and
	([.packages[].SPDXID] | length == (unique | length)) and
	([.packages[].SPDXID] + ["SPDXRef-DOCUMENT"]) as $known |
	(.relationships | all([.spdxElementId, .relatedSpdxElement] - $known == []))' "$bill"
# printed NAME...: what make has in these variables.
# shellcheck disable=SC2016
printed() {
	make -s BUILD="$BUILD" BIN="$BIN" --eval 'printed: ; @echo $(LIBS)' printed
}
for library in $(printed) $(cat tools/*/libs); do
	name=lib${library#-l}
	is "$(jq -r --arg name "$name" '[.packages[] | select(.name == $name and .versionInfo != "unknown")] | length' \
		"$bill")" 1 "it names $name, with its version"
	[[ " $(cat tools/*/libs | tr '\n' ' ') " == *" $library "* ]] ||
		is "$(grep -c "^  $name " "$work/said")" 1 "and so does --version -v"
done
is "$(jq -r '[.relationships[] | select(.relationshipType == "STATIC_LINK" and
	.spdxElementId == "SPDXRef-tuesday" and .relatedSpdxElement == "SPDXRef-libssl")] | length' "$bill")" 0 \
	"what only a program apart has is not said of tuesday"
plan
