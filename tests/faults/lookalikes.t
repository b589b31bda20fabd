#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday stay calm where nothing is wrong, though the numbers are large?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq setpriv
begin

start asleep "$helpers/asleep" 200 40
start knock "$helpers/knock" 3000 40
examine --deep
not_bad disk "when 200 threads sleep in state D and none waits for a disk"
not_bad tcp "when a port scan is answered with resets"
not_bad listen "when a port scan is answered with resets"
check_that "disk is good" disk '.verdict == "good"'
nothing_else -
stop asleep
stop knock

# Buffered, larger than any cache of the disk, and over before anybody would miss the room.
write_much() {
	echo ready
	exec setpriv --pdeathsig KILL head -c 6G /dev/zero >"$scratch/much"
}

start write write_much
examine --deep memory disk cpu
for check in memory disk cpu; do
	not_bad "$check" "while gigabytes are written through the page cache"
done
stop write

plan
