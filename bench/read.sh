# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Does `tuesday measure read` find the latency that fio finds? The same device, one read at a time, turn
# by turn; each row is the median over all rounds of the medians of a second.

read_ns() {
	case $1 in
	tuesday)
		"$BIN/tuesday" measure read "$LOOP" --for 1s -1 | awk '{ printf "%.0f\n", 1e9 * $1 }'
		;;
	fio)
		fio --name=bench --filename="$LOOP" --readonly --direct=1 --rw=randread --bs=4k \
			--ioengine=psync --time_based --runtime=1 --norandommap --randrepeat=0 \
			--percentile_list=50 --output-format=json |
			sed -n 's/.*"50.000000" : \([0-9]*\).*/\1/p' | head -n 1
		;;
	esac
}

bench_read() {
	echo "The median of direct 4 KiB reads of a loop device over memory:"
	needs_root || return 0
	have fio fio || return 0
	make_disk
	dd if=/dev/urandom of="$LOOP" bs=1M count="$DISK_MIB" oflag=direct 2>/dev/null
	for _ in $(seq "$ROUNDS"); do
		for name in $(shuf -e tuesday fio); do
			read_ns "$name" >>"$TMP/read.$name"
		done
	done
	remove_disk
	awk -v ours="$(median "$TMP/read.tuesday" 1)" -v theirs="$(median "$TMP/read.fio" 1)" 'BEGIN {
		printf "  tuesday measure read  %6d ns\n  fio, psync            %6d ns   %.2f times ours\n",
			ours, theirs, theirs / ours
	}'
	echo
}
