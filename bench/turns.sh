# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How much longer does a request and its answer take while the order of all turns is watched? Both
# ends are on this machine, so the events of the client's socket are paid for too.

TURNS=100000
UNREAD_TURNS=300000

play_turns() {
	"$BUILD/bench/turns" "$TURNS"
}

# Long enough for what lies unread to become old.
play_unread() {
	"$BUILD/bench/turns" "$UNREAD_TURNS" unread
}

start_tuesday() {
	start_tracer tuesday '^ready' "$BUILD/bench/tracer" \
		"${0%/*}/../checks.d/keepalive.ini" turns.read 40
}

# The kernel's own count of the programs' time, while turns are played.
cost_of_turns() {
	: >"$TMP/turns"
	for _ in $(seq "$ROUNDS"); do
		"$BUILD/bench/turns" 400000 >/dev/null &
		"$BUILD/bench/tracer" "${0%/*}/../checks.d/keepalive.ini" turns 3 |
			awk '$1 == "programs" { print $4 }' >>"$TMP/turns"
		wait "$!"
	done
	[ -s "$TMP/turns" ] || return 0
	echo "  $(median "$TMP/turns" 1) ns an event by the kernel's statistics, which take part of that"
	target "200 ns an event" "$(median "$TMP/turns" 1)" 200 1
}

bench_turns() {
	echo "Added to each request and its answer over loopback by watching their order:"
	needs_root || return 0
	pairs play_turns "$TURNS" tuesday
	[ ! -s "$TMP/pairs.tuesday" ] || awk '{ print $2 / $1 }' "$TMP/pairs.tuesday" | sort -g |
		awk '{ r[NR] = $1 } END { printf "  with it a turn takes %.2f times as long\n", r[int((NR + 1) / 2)] }'
	cost_of_turns
	echo "The same while a request of another thread's connection is left unread for $UNREAD_TURNS turns:"
	pairs play_unread "$UNREAD_TURNS" tuesday
	echo
}
