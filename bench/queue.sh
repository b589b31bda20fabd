# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How much longer does a context switch take while queuediagnose sums up who waits behind whom?

QUEUE_ROUNDS=50000
QUEUE_TARGET_NS=150

queue_ping_pong() {
	"$BUILD/bench/pingpong" "$QUEUE_ROUNDS" cpu
}

# It shows on a terminal only that it looks, so it is given the time to begin.
start_queuediagnose() {
	start_tracer queuediagnose '' "$BIN/queuediagnose" --only cpu --for 60s
	sleep 2
}

bench_queue() {
	echo "Added to each context switch by the matrix of who waits behind whom (CPU time of both sides):"
	needs_root || return 0
	mount_tracefs
	set -- queuediagnose
	! have runqlat libbpf-tools || set -- "$@" runqlat
	! have perf linux-perf || set -- "$@" perf_sched
	# What the part "switch" starts them with.
	# shellcheck source=bench/switch.sh
	. "${0%/*}/switch.sh"
	pairs queue_ping_pong $((2 * QUEUE_ROUNDS)) "$@"
	target "at most $QUEUE_TARGET_NS ns" "$(added queuediagnose)" "$QUEUE_TARGET_NS" 1
	echo
}
