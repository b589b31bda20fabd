# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How much longer does a context switch take while waitdiagnose watches all processes, or those of a target?

# shellcheck source=bench/switch.sh
. "${0%/*}/switch.sh"

WAITS_ROUNDS=50000
WAITS_TARGET_NS=400

start_waits_all() {
	start_tracer waits_all '' "$BIN/waitdiagnose" -s 60
	sleep 3
}

# All that run are in it, and what they start. System calls are counted in the first quarter of the time.
start_waits_target() {
	start_tracer waits_target '' "$BIN/waitdiagnose" -s 14 /
	sleep 7
}

start_waits_calls() {
	start_tracer waits_calls '' "$BIN/waitdiagnose" -s 60 /
	sleep 3
}

waits_ping_pong() {
	"$BUILD/bench/pingpong" "$WAITS_ROUNDS" cpu
}

start_offcputime() {
	start_tracer offcputime '' offcputime 60
	sleep 3
}

# Of a look at a target, a quarter of which has system calls.
waits_mean() {
	without=$(added waits_target)
	with=$(added waits_calls)
	[ -n "$without" ] && [ -n "$with" ] || return 0
	awk -v without="$without" -v with="$with" 'BEGIN { print 0.75 * without + 0.25 * with }'
}

bench_waits() {
	echo "Added to each context switch by waitdiagnose, and while it counts system calls (CPU time of both sides):"
	needs_root || return 0
	set -- waits_all waits_target waits_calls
	! have offcputime libbpf-tools || set -- "$@" offcputime
	! have perf linux-perf || set -- "$@" perf_sched
	pairs waits_ping_pong $((2 * WAITS_ROUNDS)) "$@"
	target "all processes: at most $WAITS_TARGET_NS ns" "$(added waits_all)" "$WAITS_TARGET_NS" 1
	target "a target: at most $WAITS_TARGET_NS ns" "$(waits_mean)" "$WAITS_TARGET_NS" 1
	echo
}
