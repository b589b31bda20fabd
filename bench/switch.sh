# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How much longer does a context switch take while run-queue latency is watched?

SWITCH_ROUNDS=50000

ping_pong() {
	"$BUILD/bench/pingpong" "$SWITCH_ROUNDS"
}

start_tuesday() {
	start_tracer tuesday '^ready' "$BUILD/bench/tracer" \
		"${0%/*}/../checks.d/cpu.ini" runq 60
}

start_runqlat() {
	start_tracer runqlat '^Tracing' stdbuf -oL runqlat
}

start_bpftrace_runq() {
	start_tracer bpftrace '^ready' bpftrace -B line "${0%/*}/runq.bt" 60
}

# It does not say when it has begun.
start_perf_sched() {
	rm -f "$TMP/perf.data"
	start_tracer "perf sched record" '' perf sched record -o "$TMP/perf.data"
	sleep 2
}

bench_switch() {
	echo "Added to each context switch by watching run-queue latency:"
	needs_root || return 0
	mount_tracefs
	set -- tuesday
	! have runqlat libbpf-tools || set -- "$@" runqlat
	! have bpftrace bpftrace || set -- "$@" bpftrace_runq
	! have perf linux-perf || set -- "$@" perf_sched
	pairs ping_pong $((2 * SWITCH_ROUNDS)) "$@"
	target "at most a fifth of runqlat" "$(added tuesday)" \
		"$(added runqlat)" 0.2
	echo
}
