#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Devices that no container has: is the slow one named, and the one that fails?
# shellcheck source=tests/vm/vm.sh
. "$(dirname "$0")/vm.sh"
guest 6.1 < <(cat <<'END'
modprobe dm-delay
modprobe brd rd_nr=1 rd_size=65536
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=60000000
modprobe scsi_debug dev_size_mb=16 delay=0
modprobe sd_mod
sleep 1
disk=/dev/$(ls -d /sys/block/sd* | head -n 1 | sed 's|.*/||')

# read_from DEVICE PAUSE: for a minute and a half at most.
read_from() {
	python3 -I - "$1" "$2" <<-'PYTHON' &
		import mmap, os, random, sys, time

		disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
		size = os.lseek(disk, 0, os.SEEK_END)
		page = mmap.mmap(-1, 4096)
		end = time.monotonic() + 90
		while time.monotonic() < end:
		    os.preadv(disk, [page], random.randrange(size // 4096) * 4096)
		    time.sleep(float(sys.argv[2]))
	PYTHON
	readers+=("$!")
}
stop() {
	kill "${readers[@]}" 2>/dev/null
	wait 2>/dev/null
	readers=()
}

# A slow device beside a quick one.
dmsetup create slow --table "0 $(blockdev --getsz /dev/ram0) delay /dev/ram0 0 56"
dmsetup mknodes
read_from /dev/mapper/slow 0
read_from "$disk" 0.005
sleep 3
run disk dm
t "reads that dm-delay holds for 56 ms are not good" grep -qxE 'bad|maybe' <<<"$(verdict disk)"
accused disk >accusations
t "and it is that device" grep -qE 'dm-0|slow' accusations
is "$(grep -cE 'sd[a-z]|nullb' accusations)" 0 "and no other"
stop
run disk dm
is "$(guilty)" "" "without readers it is good again"

read_from /dev/nullb0 0
read_from "$disk" 0.005
sleep 3
run disk
t "a null_blk that takes 60 ms is not good" grep -qxE 'bad|maybe' <<<"$(verdict disk)"
accused disk >accusations
t "and it is that device" grep -q nullb0 accusations
stop

# Sectors that cannot be read: the medium's error, at the place that scsi_debug has for it.
echo 2 >/sys/bus/pseudo/drivers/scsi_debug/opts
for _ in 1 2 3; do
	dd if="$disk" of=/dev/null bs=512 skip=4660 count=1 iflag=direct 2>/dev/null
done
run disk klog
is "$(verdict disk)" bad "a medium error is bad"
jq -r '.checks[] | select(.check == "disk") | .summary' report.json >said
t "and it is that disk" grep -q "${disk#/dev/}" said
END
)
plan
