#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday stay calm where nothing is wrong, though the numbers are large?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq setpriv
loud
begin

start asleep "$helpers/asleep" 200 600
start knock "$helpers/knock" 3000 600
examine --deep
not_bad disk "when 200 threads sleep in state D and none waits for a disk"
not_bad tcp "when a port scan is answered with resets"
not_bad listen "when a port scan is answered with resets"
nothing_else -
# The disk may have been slow just then, or another check asked again, alone.
is_so disk '.verdict == "good"' || examine --deep disk
check_that "disk is good" disk '.verdict == "good"'
stop asleep
stop knock

# Buffered, larger than any cache of the disk, again and again the same gigabyte.
write_much() {
	echo ready
	# shellcheck disable=SC2016
	exec setpriv --pdeathsig KILL bash -c 'while :; do
		dd if=/dev/zero of="$1" bs=1M count=1024 conv=notrunc status=none
	done' - "$scratch/much"
}

# Write-back queues deep, and the last of the queue waits for as long as the disk takes for all of it:
# below a hundred megabytes a second that is long, and the disk is slow indeed.
began=${EPOCHREALTIME/./}
dd if=/dev/zero of="$scratch/probe" bs=1M count=64 oflag=direct 2>/dev/null
took_ms=$(((${EPOCHREALTIME/./} - began) / 1000))
start write write_much
examine --quick --deep memory disk cpu
for check in memory cpu disk; do
	if [ "$check" = disk ] && [ "$took_ms" -gt 640 ]; then
		skip "disk is not bad while gigabytes are written" "64 MiB take this disk $took_ms ms now"
	else
		not_bad "$check" "while gigabytes are written through the page cache"
	fi
done
stop write

plan
