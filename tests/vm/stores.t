#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Stores that no container has: a RAID that has lost a disk, compressed memory that is full, and an NFS server that is
# far away, and then gone. Is each said of the right one, and the rest left alone?
# shellcheck source=tests/vm/vm.sh
. "$(dirname "$0")/vm.sh"
guest 6.1 < <(cat <<'END'
for module in brd raid1 zram nfsd nfsv4 sch_netem; do
	modprobe "$module" $([ $module != brd ] || echo rd_nr=4 rd_size=32768)
done

# Two mirrors; one of them loses a disk.
for pair in "md7 ram0 ram1" "md8 ram2 ram3"; do
	read -r md one two <<<"$pair"
	mdadm --create /dev/$md --run --assume-clean --metadata=1.2 --level=1 --raid-devices=2 /dev/$one /dev/$two
done >/dev/null 2>&1
run md
is "$(verdict md)" good "two mirrors that are whole are good"
mdadm /dev/md7 --fail /dev/ram1 >/dev/null 2>&1
mdadm /dev/md7 --remove /dev/ram1 >/dev/null 2>&1
run md
is "$(verdict md)" bad "a mirror that has lost a disk is bad"
accused md >accusations
t "and it is that one" grep -q 'degraded_count.*md7' accusations
is "$(grep -c md8 accusations)" 0 "and not the other"
mdadm /dev/md7 --add /dev/ram1 >/dev/null 2>&1
whole_again() {
	[ "$(cat /sys/block/md7/md/degraded)" = 0 ]
}
until_true 60 whole_again
run md
is "$(accused md | grep -c degraded_count)" 0 "with the disk it is not degraded"

# What cannot be compressed, up to the limit.
echo 64M >/sys/block/zram0/disksize
echo 16M >/sys/block/zram0/mem_limit
run zram
is "$(guilty)" "" "a zram that is empty is good"
dd if=/dev/urandom of=/dev/zram0 bs=64k count=248 oflag=direct 2>/dev/null
run zram
t "one that has nearly used its limit is not good" grep -qxE 'bad|maybe' <<<"$(verdict zram)"
accused zram >accusations
t "for its limit, and by its name" grep -q ' limit_ratio 0$' accusations
timeout 120 sh -c 'while :; do dd if=/dev/urandom of=/dev/zram0 bs=64k seek=248 count=400 oflag=direct 2>/dev/null
	sleep 0.2; done' &
writer=$!
sleep 1
run zram
kill "$writer"
wait "$writer" 2>/dev/null
t "nor is one that is full" grep -qxE 'bad|maybe' <<<"$(verdict zram)"
accused zram >accusations
t "for what it refused to write" grep -q ' failed_io_count 0$' accusations

# NFS version 4 over the loop, of a file system in memory.
mkdir -p /tmp/exported /tmp/mounted /run/rpc_pipefs
mount -t tmpfs tmpfs /tmp/exported
dd if=/dev/urandom of=/tmp/exported/file bs=1M count=8 2>/dev/null
mount -t nfsd nfsd /proc/fs/nfsd
mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs
exportfs -o rw,no_root_squash,fsid=0,insecure,no_subtree_check 127.0.0.1:/tmp/exported
echo 10 >/proc/fs/nfsd/nfsv4leasetime
echo 10 >/proc/fs/nfsd/nfsv4gracetime
rpc.nfsd --no-udp --no-nfs-version 3 4
rpc.mountd --no-udp --no-nfs-version 2 --no-nfs-version 3
if timeout 60 mount -t nfs4 -o hard,timeo=50,retrans=2,actimeo=0,noac 127.0.0.1:/ /tmp/mounted; then
	# A program that opens, and reads past the cache.
	timeout 400 sh -c 'while :; do dd if=/tmp/mounted/file of=/dev/null bs=64k count=16 iflag=direct 2>/dev/null; sleep 0.02; done' &
	reader=$!
	sleep 2
	run nfs
	# How long a request takes is that of an interpreted CPU, which others use too.
	is "$(accused nfs | grep -v '^maybe [a-z_]*_seconds ')" "" "an NFS server on the same machine is slow at most"
	tc qdisc add dev lo root netem delay 60ms limit 10000
	sleep 2
	run nfs
	t "one that is 120 ms away is not" grep -qxE 'bad|maybe' <<<"$(verdict nfs)"
	accused nfs >accusations
	t "and the way to it is said, with its name" grep -q 'round_trip_seconds.*/tmp/mounted' accusations
	tc qdisc change dev lo root netem loss 100%
	sleep 15
	run nfs hung
	t "one that is gone is not" grep -qxE 'bad|maybe' <<<"$(verdict nfs)"
	accused nfs >accusations
	t "and who waits for it is said to wait for that" grep -qE '(rpc|nfs)_wait_seconds .*dd' accusations
	is "$(grep -vE 'dd|/tmp/mounted|127\.0\.0\.1' accusations)" "" "and nothing else is accused"
	accused hung >accusations
	t "who waits for it is said to hang" grep -qw dd accusations
	tc qdisc del dev lo root
	kill "$reader"
	wait "$reader" 2>/dev/null
	back() {
		timeout 2 cat /tmp/mounted/file >/dev/null
	}
	until_true 90 back
	t "back again, the file can be read" back
else
	echo "not ok - the NFS file system is mounted"
fi
END
)
plan
