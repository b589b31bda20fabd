# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How much longer does a connection of one request take while the lives of all connections are
# watched? Both ends are on this machine.

CONNECTIONS=50000

play_connections() {
	"$BUILD/bench/connect" "$CONNECTIONS"
}

start_tuesday() {
	start_tracer tuesday '^ready' "$BUILD/bench/tracer" \
		"${0%/*}/../checks.d/churn.ini" churn.lived 40
}

bench_churn() {
	echo "Added to each connection of one request over loopback by watching their lives:"
	needs_root || return 0
	pairs play_connections "$CONNECTIONS" tuesday
	[ ! -s "$TMP/pairs.tuesday" ] || awk '{ print $2 / $1 }' "$TMP/pairs.tuesday" | sort -g |
		awk '{ r[NR] = $1 } END { printf "  with it a connection takes %.2f times as long\n", r[int((NR + 1) / 2)] }'
	echo
}
