#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# 400 MB of spans, as a kernel's build writes them: does each planted fault still get its stage, are the sums those of
# sqlite3 to the nanosecond, and is it read in less than 150 MiB?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
for program in jq sqlite3; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d /var/tmp/tuesday-spans.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
if [ "$(df --output=avail -m "$work" | tail -n 1)" -lt 6000 ]; then
	echo "1..0 # SKIP needs 6 GB in /var/tmp"
	exit 0
fi
large="parallel=400 headers=312"

# shellcheck disable=SC2094
# analyse FILE: sums as lines, and what it took in KiB.
analyse() {
	"$BUILD/bench/measure" cost "$BIN/spandiagnose" -n 1000 -o json "$1" >json || return
	jq -e '([.names[].build_ns] | add) + .idle_ns == .wall_ns and ([.names[].path_ns] | add) == .paths_ns' json >exact
	jq -r '.names | sort_by(.name)[] | "\(.name) \(.count) \(.sum_ns)"' json >sums
}

# accused ARGUMENTS METRIC [STAGE]
accused() {
	# shellcheck disable=SC2086
	"$BUILD/faults/spans" $large $1 >spans.ndjson
	"$BIN/spanhealth" -o json spans.ndjson >report.json
	jq -e ".checks[0].metrics | any(.[]; .name == \"$2\" and (.verdict == \"maybe\" or .verdict == \"bad\") and
		(.instance | startswith(\"${3:-}\")))" report.json >/dev/null
}

# shellcheck disable=SC2086
"$BUILD/faults/spans" $large jobs=4500 cold=1 >base.ndjson
works "a file of $(($(stat -c %s base.ndjson) / 1000000)) MB is analysed" analyse base.ndjson
is "$(cat exact)" true "critical paths are as long as their roots and the build"
awk '{ exit !($2 < 150 * 1048576) }' cost
is $? 0 "in $(awk '{ printf "%.0f", $2 / 1048576 }' cost) MiB, less than 150"
sqlite3 lines.db >theirs <<'END'
CREATE TABLE lines(line TEXT);
.mode ascii
.separator "\001" "\n"
.import base.ndjson lines
.mode list
.separator " "
SELECT json_extract(line, '$.name') AS name, count(*), sum(json_extract(line, '$.duration')) FROM lines GROUP BY name ORDER BY name;
END
works "counts and sums are those of sqlite3" cmp sums theirs
rm -f lines.db
mv sums ordered
mv json ordered.json
shuf base.ndjson >spans.ndjson
works "shuffled lines are analysed" analyse spans.ndjson
works "with the same sums" cmp sums ordered
cmp -s <(jq -c '[.wall_ns, .idle_ns, .jobs, (.names | sort_by(.name))]' json) <(jq -c '[.wall_ns, .idle_ns, .jobs, (.names | sort_by(.name))]' ordered.json)
is $? 0 "and the same paths, quantiles and jobs"
# shellcheck disable=SC2016
works "and it takes nearly as little memory" awk '{ exit !($2 < 150 * 1048576) }' cost
awk 'NR % 100 == 7 { print substr($0, 1, length($0) / 3); next } { print }' base.ndjson >spans.ndjson
works "with 1 % damaged lines it is analysed" analyse spans.ndjson
is "$(jq .data.bad_lines json)" "$(($(wc -l <base.ndjson) / 100 + ($(wc -l <base.ndjson) % 100 >= 7)))" "which are counted"
for form in chrome jaeger; do
	works "it is converted for $form" "$BIN/spandiagnose" --to "$form" --into "out.$form" base.ndjson
	works "into JSON" jq -en 'first(inputs) | length' "out.$form"
	rm -f "out.$form"
done
works "slow uploads are seen" accused "jobs=4500 cold=1 upload=8" unproductive_ratio "upload in "
works "and cold starts" accused "jobs=4500 cold=40" unproductive_ratio "cold in "
works "and one long job" accused "jobs=4500 cold=1 straggler=60" straggled_ratio
works "and few jobs at a time" accused "jobs=4500 cold=1 parallel=4" rounds_count
plan
