#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name the server that does not accept, also in another network namespace?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip unshare
own_network
begin

# Only of ours: another test may have a server that is deaf too.
is_over() {
	examine --quick listen
	is_so listen "$over"
}
over='all(.metrics[]; .verdict == "good" or .verdict == "unknown" or (.instance // "" | contains("4321") | not))'

accuses_deaf() {
	accuses listen dropped_per_second overflow_per_second
	names listen process deaf
	check_that "listen names the port, $1" listen \
		'any(.metrics[]; .verdict == "bad" and (.instance // "" | endswith("127.0.0.1:4321")))'
}

# Attempts that are given up before a SYN is repeated: TCP itself has nothing to complain of.
start deaf "$helpers/deaf" 4321 8 100 200 600
examine listen puma-keepalive
accuses_deaf "on the host"
check_that "listen is bad" listen '.verdict == "bad"'
check_that "who is no Puma is not taken for one where it is installed" puma-keepalive \
	'.verdict == "good" or .verdict == "skip"'
stop deaf
until_true 14 is_over
check_that "listen is good again after the fault" listen "$over"

# Attempts that go on: their SYNs are repeated, and the fault is still the listener's.
new_netns "tuesday-$$"
start deaf in_netns "tuesday-$$" "$helpers/deaf" 4321 8 100 3000 600
until_true 20 counted ListenDrops 200 ip netns exec "tuesday-$$" || bail "nothing is dropped"
examine listen
accuses_deaf "in another network namespace"
stop deaf
until_true 14 is_over
check_that "listen is good again after the fault" listen "$over"

plan
