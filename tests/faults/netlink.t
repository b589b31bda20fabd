#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name the program that does not read what netlink and a packet socket have for it, and none that does?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip unshare timeout
own_network
begin

# Addresses that come and go, for a minute at least, and some packets. Nothing stands between the test and who
# makes them: what timeout(1) had started went on for hours when that was killed.
changes() {
	# shellcheck disable=SC2016
	exec setpriv --pdeathsig KILL bash -c 'echo ready
		for ((i = 0; i < 3000; i++)); do
			ip addr add 10.231.7.9/32 dev lo && ip addr del 10.231.7.9/32 dev lo || break
			sleep 0.02
		done'
}
start changes changes
start traffic "$helpers/mute" 5353 200 1 60

start unheard "$helpers/unheard" 0 60
examine --quick netlink
accuses netlink netlink_dropped_per_second
accuses netlink packets_dropped_per_second
names netlink process unheard
check_that "netlink says it of both sockets" netlink \
	'[.metrics[] | select(.verdict == "maybe") | .name] | length == 2'
stop unheard
recovers netlink

start unheard "$helpers/unheard" 1 60
examine --quick netlink
check_that "netlink is good when both are read" netlink cleared
stop unheard
plan
