#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday say what a TCP transfer waits for: a receiver that does not read, or the application itself, of which it
# says nothing? And data that nobody acknowledges?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip unshare
own_network
begin

start window "$helpers/window" 5201 0 0 0 60
examine --quick sending
accuses sending receiver_ratio
names sending process window
stop window
recovers sending

# A small buffer and a receiver that reads, for a program that has little to send.
start window "$helpers/window" 5203 1 4608 10 60
examine --quick sending
check_that "sending is good where the application has little to send" sending '.verdict == "good"'

# Then all that it sends gets lost.
lost() {
	nft add table inet lose && nft add chain inet lose in '{ type filter hook input priority 0; }' &&
		nft add rule inet lose in tcp dport 5203 drop
}
is_stuck() {
	examine --quick sending
	is_so sending 'any(.metrics[]; .name == "repeats_count" and .verdict == "maybe")'
}
if lost 2>/dev/null; then
	until_true 8 is_stuck
	accuses sending repeats_count
	names sending process window
	nft delete table inet lose
	recovers sending
else
	skip "sending is accused by repeats_count" "nft has no such rules here"
fi
stop window
plan
