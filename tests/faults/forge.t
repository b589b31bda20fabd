#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see packets that are spoiled on the way, and those that the filter of reverse paths drops, from outside of
# the namespace that they come to? And none where the same packets are right?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip
begin
here=tuesday-a$$
there=tuesday-b$$
new_netns "$here" "$there"
join_netns "$here" "$there"
ip netns exec "$there" sh -c 'echo 1 >/proc/sys/net/ipv4/conf/wire/rp_filter'
start mute in_netns "$there" "$helpers/mute" 5353 1 1 60

start forge in_netns "$here" "$helpers/forge" 10.231.7.1 10.231.7.2 1 60
examine --quick net tcp udp
accuses net reverse_path_ratio
accuses tcp checksum_error_ratio
accuses udp checksum_error_ratio
stop forge
# Of ours: another test may lose packets too.
ours="all(.metrics[]; .verdict == \"good\" or .verdict == \"unknown\" or .verdict == \"skip\" or
	(.instance // \"\" | contains(\"$$\") | not))"
start forge in_netns "$here" "$helpers/forge" 10.231.7.1 10.231.7.2 0 60
declare -A of=([net]=reverse_path_ratio [tcp]=checksum_error_ratio [udp]=checksum_error_ratio)
# right CHECK: what accused it has a number still, and accuses none of ours.
right() {
	echo "any(.metrics[]; .name == \"${of[$1]}\" and .value != null) and $ours"
}
is_over() {
	examine --quick net tcp udp
	is_so net "$(right net)" && is_so tcp "$(right tcp)" && is_so udp "$(right udp)"
}
until_true 14 is_over
for check in net tcp udp; do
	check_that "$check is good where the same packets are right" "$check" "$(right "$check")"
done
plan
