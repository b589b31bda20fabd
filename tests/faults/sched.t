#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday find the task that could run and never does? Two real-time tasks want one CPU, and the
# one of higher priority never stops.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq taskset
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
runtime=$(cat /proc/sys/kernel/sched_rt_runtime_us)
if [ "$runtime" -le 0 ] || [ "$runtime" -gt 950000 ]; then
	skip_all "the kernel keeps nothing back from real-time tasks"
fi
loud
begin

start polite "$helpers/spin" -C polite "$(($(nproc) * 3))" 20
examine --quick sched
check_that "sched is good where many run in turn" sched '.verdict == "good"'
stop polite

# The helper forks what spins, so the one that starves has to be queued before the hog comes.
start starved taskset -c 1 "$helpers/spin" -C starved -f 1 1 20
start greedy taskset -c 1 "$helpers/spin" -C greedy -f 10 1 20
# The check accuses who was queued for two seconds.
sleep 2.5
examine --quick sched
accuses sched queued_seconds
names sched process starved
stop greedy
stop starved

plan
