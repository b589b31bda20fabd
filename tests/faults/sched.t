#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday find the task that could run and does not, and who has its CPU? Two real-time tasks want one CPU, and
# the one of higher priority never stops. Then one of no rank waits for it, once.
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
# The check looks for who was queued for half a second. To blame is who had the CPU.
sleep 0.7
examine --quick sched
accuses sched queued_seconds
names sched process greedy
check_that "who starves is named, and where" sched 'any(.metrics[];
	.label // "" | test("^starved .* behind greedy .*, SCHED_FIFO\\) on CPU 1"))'
stop greedy
stop starved

# One wait that has begun and ended before anybody can look at it, behind who has ended his work by then. Beside it
# somebody at nice 19 gets as little, which is his own wish.
# Who starved before has gone, for which it needs that CPU.
nobody_starves() {
	! pgrep -x starved >/dev/null
}
until_true 5 nobody_starves
start starved "$helpers/spin" -C starved -c 1 1 20
start meek "$helpers/spin" -C meek -n 19 -c 1 1 20
start greedy "$helpers/spin" -C greedy -f 10 -c 1 -d 900 -w 700 1 20
examine sched
accuses sched waited_seconds
names sched process greedy
check_that "who waited is named, and who had the CPU, and nobody who is nice" sched '
	any(.metrics[]; .name == "waited_seconds" and .value > 0.5 and .value < 5 and
		(.label | test("^starved .* behind greedy .*, SCHED_FIFO\\) on CPU 1, the only one"))) and
	all(.metrics[]; .label // "" | startswith("meek") | not)'
stop greedy
stop starved
stop meek


# A real-time thread that has its CPU nearly always is a hog, and one that has it often and briefly is none.
start brief "$helpers/spin" -C brief -f 10 -c 1 -w 4 -p 20 1 60
examine --quick sched
check_that "a real-time thread that runs often and briefly is good" sched \
	'all(.metrics[] | select(.name == "realtime_ratio"); .verdict == "good")'
stop brief
start hog "$helpers/spin" -C hog -f 10 -c 1 -w 85 -p 100 1 60
examine --quick sched
accuses sched realtime_ratio
names sched process hog
stop hog

# Three threads share the one CPU that they keep to, and so wait beside another one that may be idle: their wish. By
# their weights one of them gets a tenth of the others, as it should.
start own_wish "$helpers/spin" -C own_wish -c 1 2 60
start humble "$helpers/spin" -C humble -n 10 -c 1 1 60
examine --quick --deep sched
not_bad sched "where threads keep to a CPU by their own wish"
check_that "each of them has its share, by its weight, and nobody is passed over" sched \
	'all(.metrics[] | select(.name | IN("fair_share_ratio", "passed_over_ratio")); .verdict == "good")'
stop own_wish
stop humble

plan
