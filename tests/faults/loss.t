#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that a path loses packets, and whose path, from outside of the namespaces?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip nft
begin
here=tuesday-a$$
there=tuesday-b$$
new_netns "$here" "$there"
join_netns "$here" "$there"
# This path takes microseconds. With the usual 200 ms and more for each timeout the stream would stand
# still for most of the time, and for seconds in a row, and be too small to be judged.
ip -n "$here" route change 10.231.7.0/30 dev wire src 10.231.7.1 rto_min 5ms
ip netns exec "$there" nft -f - <<-'END' || skip_all "nft cannot drop at random here"
	table inet loss {
		chain in {
			type filter hook prerouting priority 0
			tcp dport 5201 numgen random mod 100 < 7 drop
		}
	}
END

start take in_netns "$there" "$helpers/stream" take 10.231.7.2 5201 600
start give in_netns "$here" "$helpers/stream" give 10.231.7.2 5201 600 4000
examine tcp
accuses tcp retransmit_ratio
check_that "tcp is bad" tcp '.verdict == "bad"'
names tcp remote 10.231.7.2
stop give
stop take
# Of ours: another test may lose packets too.
is_over() {
	examine --quick tcp
	is_so tcp "$over"
}
over="all(.metrics[]; .verdict == \"good\" or .verdict == \"unknown\" or (.instance // \"\" | contains(\"$$\") | not))"
until_true 14 is_over
check_that "tcp is good again after the fault" tcp "$over"

plan
