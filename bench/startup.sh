# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does it cost to begin and end a trace of run-queue latency, the second that it
# watches included?

cost_of() {
	case $1 in
	tuesday) cost start.tuesday 0 "$BUILD/bench/tracer" "${0%/*}/../checks.d/cpu.ini" runq 1 ;;
	runqlat) cost start.runqlat 0 runqlat 1 1 ;;
	bpftrace) cost start.bpftrace 0 bpftrace "${0%/*}/runq.bt" 1 ;;
	esac
}

bench_startup() {
	echo "A trace of run-queue latency over one second, start to end (median of $ROUNDS):"
	needs_root || return 0
	mount_tracefs
	set -- tuesday
	! have runqlat libbpf-tools || set -- "$@" runqlat
	! have bpftrace bpftrace || set -- "$@" bpftrace
	for _ in $(seq "$ROUNDS"); do
		for name in $(shuf -e "$@"); do
			cost_of "$name" || return 0
		done
	done
	for name; do
		cost_row "start.$name" start.tuesday "$name"
	done
	[ ! -s "$TMP/start.runqlat" ] ||
		target "at most a fifth of runqlat's CPU time" "$(median "$TMP/start.tuesday" 1)" \
			"$(median "$TMP/start.runqlat" 1)" 0.2
	echo
}
