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
examine names
accuses names answer_median_seconds
names names remote 10.231.7.2
stop silent
stop ask

# As long as it takes to see one answer from its question on, whenever that was.
start slow in_netns "$there" "$helpers/names" answer 10.231.7.2 2000 600
start ask in_netns "$here" "$helpers/names" ask 10.231.7.2 5000 1 600
examine --windows 1 --window 4.3 names
accuses names answer_slowest_seconds
check_that "one answer that took 2 s is seen in another network namespace, by no trace that was asked for" names \
	'any(.metrics[]; .name == "answer_slowest_seconds" and .value > 1.9 and .value < 3)'
stop slow
stop ask

start prompt in_netns "$there" "$helpers/names" answer 10.231.7.2 1 600
start ask in_netns "$here" "$helpers/names" ask 10.231.7.2 400 4 600
examine names
check_that "names is good when the server answers" names cleared
check_that "names has seen the answers" names \
	'any(.metrics[]; .name == "answers_per_second" and .value > 10)'
mkdir "$scratch/few"
printf '[trace dns]\nbudget = 20/s\n' >"$scratch/few/names.ini"
examine --quick -c "$scratch/few" names
check_that "beyond its budget the sentinel takes itself away, and clears nobody" names \
	'.verdict == "good" and (.exonerated | not) and (.reason | contains("took itself away"))'
stop prompt
stop ask

plan
