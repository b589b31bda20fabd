#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that tasks wait for a lock of the kernel, and that others in state D do not?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq
begin

start contend "$helpers/contend" 12 30
examine --quick --deep lock
if [ "$(ask '.checks[0].tier')" = trace ]; then
	accuses lock wait_ratio wait_p99_seconds
	names lock process contend
else
	skip "lock is accused by its trace" "this kernel has no lock:contention_begin"
fi
stop contend

# Some more: who waits for a disk is taken off by a counter that was read at another moment.
start asleep "$helpers/asleep" 110 30
examine --quick --deep lock
if [ "$(ask '.checks[0].tier')" = trace ]; then
	check_that "lock is good although 100 tasks are in state D" lock '.verdict == "good" and
		any(.metrics[]; .name == "sleepers_count" and .value >= 100)'
else
	skip "lock is good although 100 tasks are in state D" "nothing was traced"
fi
stop asleep

plan
