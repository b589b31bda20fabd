#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that tasks wait for a lock of the kernel, and who holds it, and that others in state D do not
# wait for one?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq mkfs.ext4 fsfreeze
loud
begin

# watches JQ_CONDITION SENTENCE: what lockdiagnose says, asked again twice where others kept everybody off the CPUs.
watches() {
	local condition=$1

	for _ in 1 2 3; do
		"$BIN/lockdiagnose" --for 1s -o json >"$scratch/locks.json" 8>&-
		if jq -e "$condition" "$scratch/locks.json" >/dev/null; then
			pass "$2"
			return
		fi
	done
	fail "$2"
	head -c 1500 "$scratch/locks.json" | why
}

traces lock/contention_begin || skip_all "this kernel has no lock:contention_begin"
start contend "$helpers/contend" 12 600
examine --quick --deep lock
check_that "the trace decides" lock '.tier == "trace"'
accuses lock wait_ratio wait_p99_seconds
names lock victim contend
check_that "nobody else is accused of what its own threads do" lock 'all(.culprits[]; .kind == "victim")'
watches 'any(.waits[]; .waiter == "contend" and .type == "rwsem (write)" and .holder == "contend" and
	.seconds > 0.1 and any(.where[]; test("m(un)?map")))' \
	"lockdiagnose has the kind of lock, who waits and who holds it, and where"
stop contend

# Pages of zeros that need no memory: whoever counts them holds the lock of the memory map meanwhile.
start serve "$helpers/smaps" serve 24 600
start read "$helpers/smaps" read "${started[serve]}" 100 600
examine --quick lock
accuses lock memory_map_ratio memory_map_longest_seconds
check_that "lock names the reader as the one who holds the lock, and the service as its victim" lock \
	'.culprits[0].kind == "process" and .culprits[0].name == "reader" and
	any(.culprits[]; .kind == "victim" and .name == "smaps")'
watches 'any(.waits[]; .waiter == "smaps" and .holder == "reader" and .longest_seconds > 0.01)' \
	"lockdiagnose names the reader, who is another process"
mkdir "$scratch/few"
printf '[trace held]\nbudget = 2/s\n' >"$scratch/few/lock.ini"
examine --quick -c "$scratch/few" lock
check_that "beyond its budget the sentinel takes itself away, and clears nobody" lock \
	'(.exonerated | not) and any(.howevers[], .reason; . // "" | contains("took itself away"))'
stop read
examine --quick lock
check_that "without the reader nobody holds the memory map of the service" lock \
	'all(.metrics[]; .name | startswith("memory_map") | not) or
	all(.metrics[] | select(.name | startswith("memory_map")); .verdict == "good")'
stop serve

# One wait behind another process, and one alone: for a write from a page that is not there yet.
if "$helpers/hold" holder "$scratch/held" 1 1 1 >"$scratch/hold.out" 2>&1; then
	start holder "$helpers/hold" holder "$scratch/held" 2300 200 600
	start queued "$helpers/hold" queued "$scratch/held" 600
	examine --windows 5 --window 1 lock
	accuses lock held_by_others_ratio held_longest_seconds
	names lock process holder
	check_that "and the one who waits is its victim" lock 'any(.culprits[]; .kind == "victim" and .name == "queued")'
	stop holder
	start holder "$helpers/hold" holder "$scratch/held" 20 2000 600
	examine --windows 5 --window 1 lock
	check_that "a lock that is held for 20 ms now and then is good" lock \
		'all(.metrics[] | select(.name | startswith("held_")); .verdict == "good")'
	stop holder
	stop queued
else
	skip "lock is accused by held_longest_seconds" "$(head -c 100 "$scratch/hold.out")"
fi

# Half of the time, never for long, and nobody has the lock: a file system that is frozen again and again.
freeze_again() {
	echo ready
	while fsfreeze -f "$scratch/at"; do
		sleep 0.6
		fsfreeze -u "$scratch/at"
		sleep 0.4
	done
}
rewrite() {
	echo ready
	while :; do
		echo one >"$scratch/at/one"
		sleep 0.01
	done
}
truncate -s 32M "$scratch/image"
mkdir "$scratch/at"
if mkfs.ext4 -q "$scratch/image" && mount -o loop "$scratch/image" "$scratch/at"; then
	undo umount "$scratch/at"
	undo sh -c "fsfreeze -u '$scratch/at' || :"
	start rewrite rewrite
	start freeze freeze_again
	examine --windows 5 --window 1 lock
	accuses lock held_by_nobody_ratio
	check_that "who waits half of the time for a lock that nobody was seen to hold is the victim" lock \
		'any(.culprits[]; .kind == "victim" and (.name | IN("lock.t", "bash")))'
	stop freeze
	fsfreeze -u "$scratch/at" 2>"$scratch/thaw.err"
	stop rewrite
else
	skip "lock is accused by held_by_nobody_ratio" "no loop device can be mounted here"
fi

# Locks of programs, which the kernel knows by the system call that waits for them alone.
if traces syscalls/sys_enter_futex; then
	start jam "$helpers/mutex" jam 8 3000 10 600
	examine --quick --deep lock
	accuses lock program_locks_count
	names lock victim jam
	watches 'any(.waits[]; .waiter == "jam" and .type == "lock of a program" and .holder_thread == "jam" and
		.seconds > 0.2)' "lockdiagnose names the thread that holds a lock of a program"
	stop jam
	start smooth "$helpers/mutex" smooth 8 0 500 600
	examine --quick --deep lock
	check_that "a lock that is held briefly, thousands of times a second, is good" lock \
		'any(.metrics[]; .name == "program_locks_count" and .verdict == "good")'
	watches '[.waits[] | select(.waiter == "smooth") | .seconds] | add // 0 | . < 0.5' \
		"lockdiagnose sees hardly anybody wait for it"
	stop smooth
else
	skip "lock is accused by program_locks_count" "this kernel has no tracepoints of system calls"
fi

# Some more: who waits for a disk is taken off by a counter that was read at another moment.
start asleep "$helpers/asleep" 110 600
examine --quick --deep lock
# Where nothing at all waited for a lock meanwhile, the trace says nothing of locks that were taken before it.
check_that "lock is not bad although 100 tasks are in state D, and good where the trace has seen locks" lock \
	'(.verdict == "good" and .tier == "trace" or .verdict == "maybe" and .tier == "counters") and
	any(.metrics[]; .name == "sleepers_count" and .value >= 100)'
stop asleep

plan
