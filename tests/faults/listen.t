#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name the server that does not accept, also in another network namespace?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip
begin

accuses_deaf() {
	accuses listen dropped_per_second overflow_per_second
	names listen process deaf
	check_that "listen names the port, $1" listen \
		'any(.metrics[]; .verdict == "bad" and (.instance // "" | endswith("127.0.0.1:4321")))'
}

# Attempts that are given up before a SYN is repeated: TCP itself has nothing to complain of.
start deaf "$helpers/deaf" 4321 8 100 200 40
examine
accuses_deaf "on the host"
check_that "listen is bad" listen '.verdict == "bad"'
check_that "who is no Puma is not taken for one where it is installed" puma-keepalive \
	'.verdict == "good" or .verdict == "skip"'
nothing_else listen
stop deaf
recovers listen

# Attempts that go on: their SYNs are repeated, and the fault is still the listener's.
new_netns "tuesday-$$"
start deaf in_netns "tuesday-$$" "$helpers/deaf" 4321 8 100 3000 40
sleep 3
examine
accuses_deaf "in another network namespace"
nothing_else listen
stop deaf
recovers listen

plan
