#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Was anything skipped that should not have been? tests/skips says which tests may be, and why; what is not in
# it has lost its power without anybody's knowledge: a program that is not installed any more, a build that
# is not there, a tracer that no longer loads.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
results=${TUESDAY_TEST_RESULTS:-$BUILD/results}
if [ ! -d "$results" ]; then
	echo "1..0 # SKIP needs a run of the suite: tests/run"
	exit 0
fi

# Of each skip: the test, its sentence, and why.
cd "$results" || exit 1
grep -E '^(ok [0-9]+|1\.\.0).*# SKIP' ./*.tap | sed -E 's|^\./(.*,)?([^,]*)\.tap:(ok [0-9]+ - )?|\2: |' |
	grep -vE '^(skips|alarms)\.t: ' | sort -u >../skips.seen
# The list: a pattern, a tab, why that is well.
grep -v '^#' "$root/tests/skips" | cut -f 1 >../skips.known
grep -vxEf ../skips.known ../skips.seen >../skips.new
while IFS= read -r line; do
	echo "# ${line}"
done <../skips.seen
is "$(wc -l <../skips.new)" 0 "no test was skipped that tests/skips does not know"
why <../skips.new
is "$(grep -vcE "^[^	]+	+[^	]{10,}$" <(grep -v '^#' "$root/tests/skips"))" 0 "each line there says why"
plan
