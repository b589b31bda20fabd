# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does it cost to look for naps, for as long as it is looked, and by how many processes?

NAP_SECONDS=10

# naps_row TEXT: the share of a CPU that a watch takes, the start left out by a shorter one.
naps_row() {
	rm -f "$TMP/naps.long" "$TMP/naps.short"
	for _ in $(seq 3); do
		cost naps.long 3 "$BIN/napdiagnose" --for "${NAP_SECONDS}s" -o json || return 0
		cost naps.short 3 "$BIN/napdiagnose" --for 2s -o json || return 0
	done
	share=$(awk -v long="$(median "$TMP/naps.long" 1)" -v short="$(median "$TMP/naps.short" 1)" \
		-v seconds="$((NAP_SECONDS - 2))" 'BEGIN { printf "%.3f", 100 * (long - short) / seconds }')
	echo "  $1: $share % of a CPU ($(awk -v s="$(median "$TMP/naps.long" 1)" 'BEGIN { printf "%.0f", s * 1000 }') ms in $NAP_SECONDS s)"
}

bench_naps() {
	echo "Looking for naps, 50 times a second:"
	naps_row "this machine, $(find /proc -maxdepth 1 -name '[0-9]*' | wc -l) processes"
	start_tracer many ready "$BUILD/bench/many" processes 1000 || return 0
	naps_row "1000 processes more"
	target "1 % of a CPU for 1000 processes" "$share" 1 1
	stop_tracer
	start_tracer busy ready "$BUILD/faults/napper" busy 0 600 || return 0
	busy=$TRACER_PID
	start_tracer many ready "$BUILD/bench/many" processes 1000 || return 0
	naps_row "the same beside one that is busy"
	target "1 % of a CPU for 1000 processes" "$share" 1 1
	stop_tracer
	kill -KILL "$busy" 2>/dev/null || true
	wait "$busy" 2>/dev/null || true
	echo
}
