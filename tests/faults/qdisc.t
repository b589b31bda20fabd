#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see a queue that what is sent stands in for long, also in another network namespace; and
# is it calm where the same stream goes through a queue that is quick enough?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip tc
begin
here=tuesday-a$$
there=tuesday-b$$
new_netns "$here" "$there"
join_netns "$here" "$there"

# holds '<' or '>' BYTES: the queue.
holds() {
	tc -n "$here" -j -s qdisc show dev wire | jq -e "any(.[]; .backlog $1 $2)" >/dev/null
}

shape() {
	tc -n "$here" qdisc replace dev wire root tbf rate "$1" burst 32k limit 200k 2>"$scratch/tc.err"
}

shape 2mbit || skip_all "no shaper here: $(head -c 100 "$scratch/tc.err")"
# Datagrams, as many as the sender's buffer holds: TCP takes a wait that grows from nothing for a loss,
# starts anew, and its queue is empty for a while.
start take in_netns "$there" "$helpers/stream" take-datagrams 10.231.7.2 5201 600
start give in_netns "$here" "$helpers/stream" give-datagrams 10.231.7.2 5201 600 4000
until_true 20 holds '>' 50000 || bail "no queue is made"
examine --quick qdisc
accuses qdisc queue_seconds sojourn_p99_seconds
check_that "qdisc is bad where a queue holds most of a second" qdisc '.verdict == "bad"'
names qdisc device "$here/wire"

shape 800mbit
until_true 20 holds '<' 20000 || bail "the queue does not empty"
examine --quick --deep qdisc
not_bad qdisc "where the shaper has room for the stream"
check_that "qdisc is good there" qdisc '.verdict == "good"'
stop give
stop take

plan
