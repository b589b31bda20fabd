#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name the name server that does not answer, and leave one alone that does?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip
begin
here=tuesday-a$$
there=tuesday-b$$
new_netns "$here" "$there"
join_netns "$here" "$there"

start silent in_netns "$there" "$helpers/names" answer 10.231.7.2 -1 600
start ask in_netns "$here" "$helpers/names" ask 10.231.7.2 400 4 600
examine --quick --deep names
accuses names answer_median_seconds
names names remote 10.231.7.2
stop silent
stop ask

start prompt in_netns "$there" "$helpers/names" answer 10.231.7.2 1 600
start ask in_netns "$here" "$helpers/names" ask 10.231.7.2 400 4 600
examine --quick --deep names
check_that "names is good when the server answers" names cleared
check_that "names has seen the answers" names \
	'any(.metrics[]; .name == "answers_per_second" and .value > 10)'
stop prompt
stop ask

plan
