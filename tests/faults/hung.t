#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name the task that is stuck in the kernel, and leave alone what only looks like it? A
# file system is frozen, as for a snapshot, and somebody writes to it.
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
# The check accuses who was stuck for ten seconds.
sleep 11
examine --quick hung
accuses hung stuck_seconds
names hung process touch
check_that "the parents of vfork, in state D for as long, are not accused" hung \
	'all(.culprits[]; .name | contains("asleep") | not)'
fsfreeze -u "$scratch/at"
stop touch
examine --quick hung
# Of whoever was stuck for two minutes before, the kernel's log still tells.
check_that "nobody is stuck any more when the file system has thawed" hung 'all(.metrics[];
	.name == "hung_before_count" or .verdict == "good" or .verdict == "unknown") and
	any(.metrics[]; .name == "stuck_seconds" and .verdict == "good")'
stop asleep

plan
