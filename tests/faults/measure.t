#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tuesday measure what it says, refuse what would be no answer, and leave nothing behind?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup ip pgrep
begin
cd "$scratch" || exit 1
tuesday=$BIN/tuesday

measured() {
	call "$tuesday" measure "$@"
}

# median ARG...: of one run, printed.
median() {
	measured "$@" -1
	cat out
}

below() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a < b) }'
}

has() {
	[ "$status" = 0 ] && jq -e "$1" out >/dev/null
}

refused() {
	[ "$status" = "$1" ] && [ ! -s out ] && grep -q -- "$2" err
}

# Every microbenchmark answers, in order and with an interval where there are samples enough.

head -c 4M /dev/urandom >file
sync file
mkdir dir
for what in clock "read $scratch/file" "fsync $scratch/dir" "memory 4M" loopback; do
	# shellcheck disable=SC2086
	measured $what --for 300ms -o json
	t "measure ${what%% *}: a median within its interval" has '.median.low <= .median.value and
		.median.value <= .median.high and .median.low > 0 and .samples >= 6'
	t "measure ${what%% *}: the tail is on the slow side" has 'if .unit == "seconds"
		then .p99.value >= .median.value else .p1.value <= .median.value end'
	t "measure ${what%% *}: one line, of its own schema" has '.schema == "tuesday-measure/1" and
		.duration_seconds > 0.2 and (.howevers | type) == "array"'
done
t "nothing is left in the directory" test -z "$(ls -A dir)"
measured clock --for 100ms
t "people get median and p99" grep -q '^  median .*(95 %: ' out
measured clock --for 100ms -1
t "-1 prints one number" grep -Exq '[0-9.e-]+' out

# Relations that hold on any machine.

clock=$(median clock --for 100ms)
loopback=$(median loopback --for 300ms)
t "a round trip takes longer than reading the clock" below "$clock" "$loopback"

# The same file twice: by a loop device, and by one of a cgroup with few requests a second.
slow_disk() {
	local controller

	head -c 16M /dev/urandom >image
	sync image
	loop=$(losetup -f --show --direct-io=on image) || return 1
	undo losetup -d "$loop"
	device=$(cat "/sys/block/${loop#/dev/}/dev")
	controller=$(v1_root blkio) || return 1
	new_cgroup "$controller"
	# The kernel lets through what belongs to a slice of 100 ms at once: less than one, so that each waits.
	echo "$device 5" >"$cgroup/blkio.throttle.read_iops_device" &&
		echo "$device 5" >"$cgroup/blkio.throttle.write_iops_device"
}

in_slow() {
	in_cgroup "$cgroup" "$@"
}

if slow_disk; then
	fast=$(median read "$loop" --for 300ms)
	slow=$(in_slow "$tuesday" measure read "$loop" --for 2s -1 2>err)
	t "reads of a disk that is held back take longer" below "$fast" "$slow"
	mkfs.ext4 -q "$loop" && mkdir mounted && mount "$loop" mounted && undo umount "$scratch/mounted"
	fast=$(median fsync mounted --for 300ms)
	# Write-back is nobody's: what is held back is the write of the program itself, by O_SYNC.
	mount -o remount,sync mounted
	slow=$(in_slow "$tuesday" measure fsync mounted --for 4s -1 2>err)
	t "fsync on a disk that is held back takes longer" below "$fast" "$slow"
	umount mounted
else
	skip "reads of a disk that is held back take longer" "no cgroup v1 that holds disks back"
	skip "fsync on a disk that is held back takes longer" "no cgroup v1 that holds disks back"
fi

# What would be no answer is refused.

measured fsync /dev/shm
t "fsync of a tmpfs is refused, and the disk asked for" refused 3 'is on a tmpfs'
echo >/dev/shm/tuesday-measure.$$
undo rm -f /dev/shm/tuesday-measure.$$
truncate -s 1M /dev/shm/tuesday-measure.$$
measured read /dev/shm/tuesday-measure.$$
t "a file on a tmpfs is refused" refused 3 'tmpfs'
truncate -s 64M holes
measured read "$scratch/holes" --for 100ms
t "a file that is all holes is refused" refused 3 'only a hole'
mkfifo fifo
measured read "$scratch/fifo"
t "a pipe is refused and does not hang" refused 3 'neither a file nor a block device'
measured read /dev/tty
t "a terminal is refused" refused 3 'neither a file nor a block device'
: >empty
measured read "$scratch/empty"
t "an empty file is refused" refused 3 'shorter than one read of 4096 bytes'
measured read "$scratch/"$'nothing\e[31m'
t "a name from outside is escaped" refused 3 'nothing\\x1b\[31m'
measured memory 900G
t "more memory than there is for it is refused" refused 3 'an eighth of the available memory'
measured red
t "a wrong name is answered with the right one" refused 64 "did you mean 'read'"
measured read
t "a missing operand is named" refused 64 'name PATH'
measured clock --for 1ms
t "a time that is too short is refused" refused 64 'a time from 50ms'
measured
t "without an operand the list is printed" refused 64 'clock, fsync, loopback, memory, read'

new_netns "tuesday-measure-$$"
ip -n "tuesday-measure-$$" link set lo down
call ip netns exec "tuesday-measure-$$" "$tuesday" measure loopback
t "a loopback that is down is told from a slow one" refused 3 'ip link set lo up'

# Nothing is written but in the directory, and nothing at all by the reads.

opened() {
	strace -f -qq -e trace=open,openat,creat -o trace "$tuesday" measure "$@" --for 50ms >out 2>err
	! grep -E 'O_WRONLY|O_RDWR|O_CREAT' trace | grep -v -e ENOENT -e "$scratch/dir" -e '"\."' \
		-e oom_score_adj >written
}

for what in "read $scratch/file" clock "memory 4M" loopback "fsync $scratch/dir"; do
	if command -v strace >/dev/null; then
		# shellcheck disable=SC2086
		t "measure ${what%% *} opens nothing else for writing" opened $what
	else
		skip "measure ${what%% *} opens nothing else for writing" "strace is not installed"
	fi
done

# Ctrl-C ends it with what is known.

env --default-signal=INT "$tuesday" measure loopback --for 30s -o json >out 2>err &
pid=$!
sleep 1
kill -INT $pid
wait $pid
status=$?
t "a signal ends it with the samples so far" has '.interrupted and .samples > 0 and
	.duration_seconds < 10'

# A disk that never answers hangs the process that asks it, and no other.

"$tuesday" measure loopback --for 1s >out 2>err &
pid=$!
child=
for _ in {1..50}; do
	child=$(pgrep -P $pid) && break
	sleep 0.02
done
kill -STOP "$child"
wait $pid
status=$?
t "what hangs is given up, and said so" refused 3 'it hangs'

plan
