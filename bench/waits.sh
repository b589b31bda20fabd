# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How much longer does a context switch take while waitdiagnose watches all processes?

# shellcheck source=bench/switch.sh
. "${0%/*}/switch.sh"

WAITS_ROUNDS=50000

start_waits_all() {
	start_tracer waits_all '' "$BIN/waitdiagnose" -s 60
	sleep 3
}

waits_ping_pong() {
	"$BUILD/bench/pingpong" "$WAITS_ROUNDS"
}

start_offcputime() {
	start_tracer offcputime '' offcputime 60
	sleep 3
}

bench_waits() {
	echo "Added to each context switch by waitdiagnose:"
	needs_root || return 0
	set -- waits_all
	! have offcputime libbpf-tools || set -- "$@" offcputime
	! have perf linux-perf || set -- "$@" perf_sched
	pairs waits_ping_pong $((2 * WAITS_ROUNDS)) "$@"
	target "at most 400 ns" "$(added waits_all)" 400 1
	echo
}
