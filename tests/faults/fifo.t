#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday find the real-time hog when it gets hardly any time itself?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq
runtime=$(cat /proc/sys/kernel/sched_rt_runtime_us)
if [ "$runtime" -le 0 ] || [ "$runtime" -gt 950000 ]; then
	skip_all "the kernel keeps nothing back from real-time tasks: this machine would not survive"
fi
loud
begin

# Where nobody else wants a CPU, nobody waits.
start patient "$helpers/spin" -C patient -p 20 -w 2 $(($(nproc) * 4)) 600
start greedy "$helpers/spin" -C greedy -f 10 "$(nproc)" 600
examine
accuses cpu wait_ratio pressure_some_ratio runq_p99_seconds runq_waiters_count
names cpu process greedy
nothing_else cpu
stop greedy
recovers cpu
stop patient

# Of two real-time threads on one CPU the lower never runs: no switch tells of its wait before the trace is over.
start upper "$helpers/spin" -C upper -f 20 -c 0 1 600
start lower "$helpers/spin" -C lower -f 10 -c 0 1 600
examine --deep cpu
if traces sched/sched_switch; then
	names cpu process upper
	check_that "a wait that the trace does not see the end of is as long as the trace" cpu \
		'.cost.trace_seconds * 0.9 < (.metrics[] | select(.name == "runq_longest_seconds") | .value)'
	mkdir "$scratch/older"
	sed 's/^tracer .*/&___before_5_8/' "$root/checks.d/cpu.ini" >"$scratch/older/cpu.ini"
	examine --deep -c "$scratch/older" cpu
	check_that "a kernel without iterators counts the waits that end" cpu \
		'.cost.trace_seconds > 0 and any(.metrics[]; .name == "runq_longest_seconds" and .value > 0)'
else
	skip "cpu names who has the CPU" "the kernel has no types"
fi
stop upper
stop lower

plan
