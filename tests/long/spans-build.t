#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# This project's own build under spandiagnose --while: is each compile a span, as long as the compiler says itself, and
# do the parts sum to the whole? Then the same files by ninja, whose own log is the other witness.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
for program in jq make clang; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d /var/tmp/tuesday-build.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD_DIR
objects=$(for source in lib/base/*.c lib/stats/*.c lib/spans/*.c; do echo "$work/build/${source%.c}.o"; done)
sources=$(echo "$objects" | wc -l)

# shellcheck disable=SC2086
"$BIN/spandiagnose" --keep "$work/kept" -o json --while make -j2 BUILD="$work/build" BIN="$work/bin" CC=clang \
	CFLAGS=-ftime-trace $objects >"$work/said" 2>"$work/err"
is "$?" 0 "the build runs to its end"
compiles=$(jq -s '[.[] | select(.name == "clang" and (.fields.command | test(" -c ")))] | length' "$work/kept")
is "$compiles" "$sources" "each of $sources compiles is a span"
is "$(jq '([.names[].build_ns] | add) + .idle_ns == .wall_ns' "$work/said")" true "the critical path is as long as the build"
is "$(jq '.while.lost_events' "$work/said")" 0 "no event was lost"
is "$(jq -r '.names[0].name' "$work/said")" clang "the compiler holds the build"
find "$work/build" -name '*.json' >"$work/traces"
# shellcheck disable=SC2046
"$BIN/spandiagnose" -o json -n 1000 "$work/kept" $(cat "$work/traces") >"$work/joined"
is "$(jq -c '[.data.joined, .data.traces, .data.orphans, .data.outside]' "$work/joined")" "[$sources,1,0,0]" \
	"what clang says of each of them lies within its process"
is "$(jq '([.names[].build_ns] | add) + .idle_ns == .wall_ns' "$work/joined")" true \
	"and the critical path is as long as before"
longest=$(jq -s '[.[] | select(.name == "clang")] | sort_by(.duration) | last | .duration / 1e6' "$work/kept")
theirs=$(jq '[.names[] | select(.name == "ExecuteCompiler") | .longest_ns][0] / 1e6' "$work/joined")
t "the longest took $longest ms, of which its compiler knows $theirs ms" \
	awk -v ours="$longest" -v theirs="$theirs" 'BEGIN { exit !(theirs > ours / 2 && theirs <= ours) }'
plan
