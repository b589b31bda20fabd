# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What do all sentinels together cost a machine that switches 20,000 times and makes 50,000 system
# calls a second? They are on during every run. The workload is one round of two switches and five
# calls after another, as fast as it goes, and what CPU time a round takes more is paid 10,000 times a
# second.

SENTINEL_ROUNDS=100000
SENTINEL_RATE=20000

play_calls() {
	"$BUILD/bench/pingpong" "$SENTINEL_ROUNDS" cpu
}

start_sentinels() {
	start_tracer sentinels '^ready' "$BUILD/bench/sentinels" 60 "${0%/*}"/../checks.d/*.ini
}

bench_sentinels() {
	echo "Added to each switch and two and a half system calls by all sentinels:"
	needs_root || return 0
	pairs play_calls "$SENTINEL_ROUNDS" sentinels
	[ -s "$TMP/pairs.sentinels" ] || return 0
	awk -v added="$(added sentinels)" -v rate="$SENTINEL_RATE" -v base="$(median "$TMP/pairs.sentinels" 1)" 'BEGIN {
		printf "  %.2f %% of a CPU at %d switches and %d calls a second, where the work itself takes %.1f %%\n",
			added * rate / 1e7, rate, rate * 2.5, base * rate / 1e7
	}'
	target "at most 0.5 % of a CPU" "$(added sentinels)" 250 1
	echo
}
