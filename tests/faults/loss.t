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
ip netns exec "$there" nft -f - <<-'END' || skip_all "nft cannot drop at random here"
	table inet loss {
		chain in {
			type filter hook prerouting priority 0
			tcp dport 5201 numgen random mod 100 < 7 drop
		}
	}
END

start take in_netns "$there" "$helpers/stream" take 10.231.7.2 5201 45
start give in_netns "$here" "$helpers/stream" give 10.231.7.2 5201 40 4000
examine
accuses tcp retransmit_ratio
check_that "tcp is bad" tcp '.verdict == "bad"'
names tcp remote 10.231.7.2
nothing_else tcp
stop give
stop take
recovers tcp

plan
