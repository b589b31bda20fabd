# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How much longer does a disk read take while block I/O latency is watched? The disk is a loop
# device over memory, since on any real one the difference would be lost in the disk's own.

READS=100000

# Nanoseconds for each read at a queue depth of 16, from fio's terse line: field 8 is IOPS.
read_disk() {
	fio --name=bench --filename="$LOOP" --readonly --direct=1 --rw=randread --bs=4k --minimal \
		--ioengine=libaio --iodepth=16 --io_size=$((READS * 4))k --norandommap --randrepeat=0 |
		awk -F ';' '$8 > 0 { printf "%.0f\n", 1e9 / $8 }'
}

start_tuesday() {
	start_tracer tuesday '^ready' "$BUILD/bench/tracer" \
		"${0%/*}/../checks.d/disk.ini" block 60
}

start_biolatency() {
	start_tracer biolatency '^Tracing' stdbuf -oL biolatency
}

start_bpftrace_block() {
	start_tracer bpftrace '^ready' bpftrace -B line "${0%/*}/block.bt" 60
}

bench_block() {
	echo "Added to each 4 KiB read by watching block I/O latency:"
	needs_root || return 0
	have fio fio || return 0
	mount_tracefs
	make_disk
	set -- tuesday
	! have biolatency libbpf-tools || set -- "$@" biolatency
	! have bpftrace bpftrace || set -- "$@" bpftrace_block
	pairs read_disk "$READS" "$@"
	target "no more than biolatency" "$(added tuesday)" "$(added biolatency)" 1
	remove_disk
	echo
}
