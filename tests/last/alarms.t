#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How often did Tuesday accuse somebody who is well? A test asks again, since a neighbour may have been busy
# just then; here all first answers of the suite are counted.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
answers=${TUESDAY_TEST_ANSWERS:-$BUILD/results/answers}
if [ ! -s "$answers" ]; then
	echo "1..0 # SKIP needs a run of the faults: tests/run"
	exit 0
fi
# The budget: so many of a hundred first answers, and two whatever their number. A check that cries wolf in one
# of five runs would be in some eight of forty answers beyond what a virtual machine
# with busy neighbours makes of the rest.
percent=5
least=2

asked=$(wc -l <"$answers")
grep -v ' well$' "$answers" | sort | uniq -c | sed 's/^/# accused at first:/'
wrong=$(grep -vc ' well$' "$answers")
budget=$((asked * percent / 100))
[ "$budget" -ge "$least" ] || budget=$least
echo "# $wrong of $asked first answers"
works "no more than $budget of $asked first answers accuse somebody who is well" [ "$wrong" -le "$budget" ]
works "and they were asked for" [ "$asked" -ge 10 ]
plan
