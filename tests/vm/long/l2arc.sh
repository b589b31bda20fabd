# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Within a guest, after inside.sh: a pool of ZFS with an L2ARC, each on a disk in memory that may be slow, and
# programs that read it. slow_pool and slow_cache are milliseconds that a read takes.
vm_pool() {
	local slow_pool=$1 slow_cache=$2 disk dm ram slow

	insmod_zfs || return
	modprobe brd rd_nr=2 rd_size=1048576
	modprobe dm-delay
	for disk in "pooldisk ram0 $slow_pool" "cachedisk ram1 $slow_cache"; do
		read -r dm ram slow <<<"$disk"
		dmsetup create "$dm" --table "0 $(blockdev --getsz "/dev/$ram") delay /dev/$ram 0 $slow /dev/$ram 0 0"
	done
	dmsetup mknodes
	# An ARC of 64 MiB, and a cache that is fed as quickly as it goes and found again after it was away.
	set_parameter zfs_arc_min $((32 << 20))
	set_parameter zfs_arc_max $((64 << 20))
	set_parameter l2arc_write_max $((64 << 20))
	set_parameter l2arc_write_boost $((64 << 20))
	set_parameter l2arc_headroom 0
	set_parameter l2arc_noprefetch 0
	set_parameter l2arc_feed_min_ms 100
	set_parameter l2arc_rebuild_blocks_min_l2size 0
	zpool create -f -O compression=off -O atime=off -O recordsize=32k -O prefetch=all -m /tmp/pool pool \
		/dev/mapper/pooldisk cache /dev/mapper/cachedisk 2>/dev/null ||
		zpool create -f -O compression=off -O atime=off -O recordsize=32k -m /tmp/pool pool \
			/dev/mapper/pooldisk cache /dev/mapper/cachedisk || return
	dd if=/dev/urandom of=/tmp/pool/file bs=1M count=192 2>/dev/null
	sync
}

insmod_zfs() {
	modprobe zfs
	[ -e /proc/spl/kstat/zfs/arcstats ] && until_true 10 test -e /dev/zfs
}

set_parameter() {
	echo "$2" >"/sys/module/zfs/parameters/$1"
}

# vm_read SECONDS: two programs that read here and there, each waiting for what it reads.
vm_read() {
	local one

	for one in 1 2; do
		python3 -I - "$1" "$one" <<-'PYTHON' &
			import os, random, sys, time

			random.seed(int(sys.argv[2]))
			file = os.open("/tmp/pool/file", os.O_RDONLY)
			blocks = os.fstat(file).st_size // 32768
			end = time.monotonic() + float(sys.argv[1])
			while time.monotonic() < end:
			    os.pread(file, 4096, random.randrange(blocks) * 32768)
			    time.sleep(0.0005)
		PYTHON
		readers+=("$!")
	done
}

arcstat() {
	awk -v name="$1" '$1 == name { print $3 }' /proc/spl/kstat/zfs/arcstats
}

# The cache holds most of the file.
is_warm() {
	[ "$(arcstat l2_size)" -gt $((120 << 20)) ]
}

# shorter: the check with an experiment whose rounds are short, for a guest in which all is small.
shorter() {
	mkdir -p /tmp/layer
	printf '[experiment offline]\nmeasure = 6s\nsettle = 4s\n' >/tmp/layer/l2arc.ini
}

# The pool as it was: no device is missing.
pool_state() {
	zpool status pool | awk '$1 ~ /^(pooldisk|cachedisk|pool)$/ { printf "%s %s ", $1, $2 }'
}
