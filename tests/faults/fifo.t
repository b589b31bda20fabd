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

plan
