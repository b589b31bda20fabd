# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How much longer does a request and its answer take while the order of all turns is watched? Both
# ends are on this machine, so the events of the client's socket are paid for too.

TURNS=100000

play_turns() {
	"$BUILD/bench/turns" "$TURNS"
}

start_tuesday() {
	start_tracer tuesday '^ready' "$BUILD/bench/tracer" \
		"${0%/*}/../checks.d/keepalive.ini" turns.read 40
}

bench_turns() {
	echo "Added to each request and its answer over loopback by watching their order:"
	needs_root || return 0
	pairs play_turns "$TURNS" tuesday
	[ ! -s "$TMP/pairs.tuesday" ] || awk '{ print $2 / $1 }' "$TMP/pairs.tuesday" | sort -g |
		awk '{ r[NR] = $1 } END { printf "  with it a turn takes %.2f times as long\n", r[int((NR + 1) / 2)] }'
	echo
}
