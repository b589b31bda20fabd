#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do waitdiagnose and queuediagnose say behind whose I/O a program waits for a disk? A device that does one read after
# the other, 400 a second, is asked by one thread and by eight: in each of the one's waits each of the eight is served
# once before it. The limit lets several go at a time, so in a second that is known to some percent only.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no types to trace with"
begin
if root=$(v1_root blkio); then
	limit() {
		echo "$1 $2" >"$cgroup/blkio.throttle.read_iops_device"
	}
elif root=$(v2_root io); then
	limit() {
		echo "$1 riops=$2" >"$cgroup/io.max"
	}
else
	skip_all "no cgroup controller for block devices"
fi
head -c 16M /dev/urandom >"$scratch/disk" || bail "no room in $scratch"
sync "$scratch/disk"
at=/sys/dev/block/$(stat -c '%Hd:%Ld' "$scratch/disk")
[ -e "$at" ] || skip_all "$scratch is on no block device"
[ -e "$at/partition" ] && at=$(readlink -f "$at")/..
loop=$(losetup -f --show --direct-io=on "$scratch/disk") || skip_all "no loop device"
undo losetup -d "$loop"
new_cgroup "$root"
limit "$(cat "$at/dev")" 400 || bail "cannot limit the disk below $scratch"
start crowd in_cgroup "$cgroup" nice -n -15 "$helpers/randread" "$loop" 8 60
start reader in_cgroup "$cgroup" nice -n -15 "$helpers/randread" "$loop" 1 60
crowd=${started[crowd]}
reader=${started[reader]}

# look FILTER COMMAND...: asked up to five times, for others may be at the disk below.
look() {
	local filter=$1

	shift
	for _ in 1 2 3 4 5; do
		"$@" -o json >"$scratch/said" 2>"$scratch/said.err" 8>&-
		jq -e "$filter" "$scratch/said" >/dev/null && return
	done
}
# says SENTENCE FILTER
says() {
	if jq -e "$2" "$scratch/said" >/dev/null; then
		pass "$1"
	else
		fail "$1"
		head -c 1500 "$scratch/said.err" "$scratch/said" | why
	fi
}

device=".processes[0].disks[] | select(.device == \"${loop#/dev/}\")"
behind="($device) as \$all | [\$all.of[] | select(.pid == $crowd).ns][0] / \$all.ns"
sentence="waits for .*disk.*; of its requests' time on ${loop#/dev/} [0-9]+ % behind randread \\\\(pid $crowd\\\\)"
look "($behind | . > 0.6) and (.processes[0].sentence | test(\"$sentence\"))" "$BIN/waitdiagnose" -s 1s "$reader"
says "most of its wait for the disk is behind the other's I/O" "$behind | . > 0.6"
says "which the sentence says, with the device" ".processes[0].sentence | test(\"$sentence\")"
says "and the advice how to look at the two" ".processes[0].next | test(\"queuediagnose $reader $crowd --only disk\$\")"
table() {
	"$BIN/waitdiagnose" -s 1s "$reader" >"$scratch/said" 2>&1 8>&-
	grep -qE "^  Its requests to ${loop#/dev/} took .* behind randread \(pid $crowd\) [0-9]+ %" "$scratch/said"
}
works "and a line below the table" until_true 5 table

# By its own clock the reader does nothing but wait for its reads.
waited='(.disk_device.waited_seconds + .disk_scheduler.waited_seconds)'
theirs="(.disk_device.behind_b_seconds + .disk_scheduler.behind_b_seconds) / $waited"
all="$waited / .seconds | . > 0.85 and . < 1.02"
look "($all) and ($theirs | . > 0.6)" "$BIN/queuediagnose" "$reader" "$crowd" --only disk --for 1.5s
says "queuediagnose measures all of the time that it waits" "$all"
says "and most of it behind the other" "$theirs | . > 0.6"

is_on="any(.processes[0].slowest[]; .on == \"$loop\")"
look "$is_on" "$BIN/waitdiagnose" -s 500ms "$reader"
says "slow waits are told with what they were on" "$is_on"

stop crowd
alone="($device) as \$all | [\$all.of[] | select(.pid == null).ns] | add / \$all.ns"
# Unless others had the CPUs for longer than the device took.
sentence='.processes[0] | .most == "run_queue" or (.sentence | test("for disks.*, and nobody.s I/O is in its way for long"))'
look "($alone | . > 0.95) and ($sentence)" "$BIN/waitdiagnose" -s 500ms "$reader"
says "alone it waits for the device, and is behind nobody" "$alone | . > 0.95"
says "which the sentence says" "$sentence"
stop reader
plan
