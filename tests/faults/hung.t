#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name the task that is stuck in the kernel, and leave alone what only looks like it? A
# file system is frozen, as for a snapshot, and somebody writes to it; beside it an agent that watches files
# does not answer whether one may be opened.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup mkfs.ext4 fsfreeze
begin

write_one() {
	echo ready
	exec -a "$1" touch "$scratch/at/one"
}

truncate -s 32M "$scratch/image"
mkfs.ext4 -q "$scratch/image" || skip_all "no ext4 can be made here"
mkdir "$scratch/at"
mount -o loop "$scratch/image" "$scratch/at" || skip_all "no loop device can be mounted"
undo umount "$scratch/at"
fsfreeze -f "$scratch/at" || skip_all "the file system cannot be frozen"
undo sh -c "fsfreeze -u '$scratch/at' || :"

start asleep "$helpers/asleep" 50 600
start touch write_one touch
mkdir "$scratch/watched"
echo one >"$scratch/watched/file"
open_one() {
	echo ready
	exec tail "$scratch/watched/file"
}
agent=
if "$helpers/agent" "$scratch/watched" 600 >"$scratch/agent.out" 2>&1 & started[agent]=$! &&
	until_true 5 grep -qs '^ready$' "$scratch/agent.out"; then
	agent=yes
	start tail open_one
else
	wait "${started[agent]}"
	unset "started[agent]"
fi
# The check accuses who was stuck for two seconds.
sleep 3
examine --quick hung
accuses hung stuck_seconds
names hung process touch
check_that "the parents of vfork, in state D for as long, are not accused" hung \
	'all(.culprits[]; .name | contains("asleep") | not)'
if [ "$agent" ]; then
	accuses hung fanotify_seconds
	names hung process tail
	stop agent
	wait "${started[tail]}"
	unset "started[tail]"
	is "$(tail -n 1 "$scratch/tail.out")" one "without the agent the file is opened"
else
	skip "hung is accused by fanotify_seconds" "$(head -c 100 "$scratch/agent.out")"
fi
fsfreeze -u "$scratch/at"
stop touch
examine --quick hung
# Of whoever was stuck for two minutes before, the kernel's log still tells.
check_that "nobody is stuck any more when the file system has thawed" hung 'all(.metrics[];
	.name == "hung_before_count" or .verdict == "good" or .verdict == "unknown") and
	any(.metrics[]; .name == "stuck_seconds" and .verdict == "good") and
	([.metrics[] | select(.name == "fanotify_seconds") | .verdict] == ["good"])'

# Stuck for seconds while Tuesday looked, and at its last look no more.
freeze_for() {
	echo ready
	fsfreeze -f "$scratch/at" || exit 1
	sleep "$1"
	fsfreeze -u "$scratch/at"
}
rewrite() {
	echo ready
	while :; do
		echo one >"$scratch/at/two"
		sleep 0.01
	done
}
start rewrite rewrite
start freeze freeze_for 3.2
examine --windows 5 --window 1 hung
accuses hung stuck_seconds
check_that "who is stuck no more when the look ends is not cleared" hung \
	'(.exonerated | not) and any(.metrics[]; .name == "stuck_seconds" and .value > 2)'
stop freeze
stop rewrite
stop asleep

plan
