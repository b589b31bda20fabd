#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that writers are paused, and that fsync waits, where the disk cannot keep up?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq losetup mkfs.ext4 setpriv
loud
begin

root=$(v1_root blkio) || skip_all "no cgroup v1 controller for block devices"
# In memory: how quick the machine's own disk is today is not what is asked for.
[ -d /dev/shm ] || skip_all "needs /dev/shm"
image=/dev/shm/tuesday-test-$$
undo rm -f "$image"
truncate -s 256M "$image"
mkfs.ext4 -q "$image" || bail "mkfs.ext4 fails"
loop=$(losetup -f --show "$image") || skip_all "no loop device"
undo losetup -d "$loop"
at=$scratch/mnt
mkdir "$at"
mount "$loop" "$at" || skip_all "cannot mount"
undo umount "$at"
device=$(cat "/sys/block/${loop#/dev/}/dev")
new_cgroup "$root"

# sync_often: a block and an fsync, again and again.
sync_often() {
	echo ready
	# shellcheck disable=SC2016
	exec setpriv --pdeathsig KILL bash -c 'while sleep 0.01; do
		dd if=/dev/zero of="$1" bs=4k count=1 conv=fsync,notrunc status=none
	done' - "$at/database.$BASHPID"
}

start sync sync_often
examine --quick --deep journal
check_that "journal is good where fsync is quick" journal '.verdict == "good"'
stop sync

echo "$device 20" >"$cgroup/blkio.throttle.write_iops_device" || bail "cannot limit $device"
for name in one two three; do
	start "$name" in_cgroup "$cgroup" bash -c "at=$at; $(declare -f sync_often); sync_often"
done
examine --quick --deep journal
accuses journal fsync_p99_seconds
names journal process dd
for name in one two three; do
	stop "$name"
done
echo "$device 0" >"$cgroup/blkio.throttle.write_iops_device"
recovers journal

# Little of this device's data may be dirty, while the machine as a whole is far from its limit.
write_much() {
	echo ready
	# shellcheck disable=SC2016
	exec setpriv --pdeathsig KILL bash -c 'while :; do
		dd if=/dev/zero of="$1" bs=1M count=150 conv=notrunc status=none
	done' - "$at/much"
}
bdi=/sys/class/bdi/$device
if ! echo 1 2>/dev/null >"$bdi/strict_limit"; then
	skip "writeback is accused where a writer is paused" "no strict_limit before 6.2"
	plan
	exit 0
fi
echo 4194304 >"$bdi/max_bytes"
start much write_much
examine --quick --deep writeback
accuses writeback pause_ratio
names writeback process dd
check_that "writeback is no more than maybe" writeback '.verdict == "maybe"'
stop much
echo 0 >"$bdi/strict_limit"
recovers writeback

plan
