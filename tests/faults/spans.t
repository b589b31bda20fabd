#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does each planted fault of a build get its stage, whatever else is wrong with the file, and a build without
# one none? The sums are those of sqlite3, and what other programs get can be read back.
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
spans=$BUILD/faults/spans
small="jobs=200 headers=5 cold=0"

# build NAME ARGUMENT...: the spans of one, and what is said of them.
build() {
	local name=$1
	shift
	# shellcheck disable=SC2086
	"$spans" $small "$@" >"$name.ndjson"
	judge "$name"
}

judge() {
	"$BIN/spanhealth" -o json "$1.ndjson" >report.json 2>err
	status=$?
	"$BIN/spandiagnose" -n 1000 -o json "$1.ndjson" >"$1.json" 2>>err
}

# accuses CHECK METRIC [INSTANCE]: the metric is maybe or bad, and the verdict of the run is no better.
accuses() {
	local wanted="any(.checks[]; .check == \"$1\" and any(.metrics[]; .name == \"$2\" and
		(.verdict == \"maybe\" or .verdict == \"bad\") and (.instance | startswith(\"${3:-}\"))))"

	if jq -e "$wanted" report.json >/dev/null && [[ $status = [12] ]]; then
		pass "$1 accuses $2${3:+ of $3}"
	else
		fail "$1 accuses $2${3:+ of $3}"
		jq -c '.checks[] | .verdict, (.metrics[] | [.name, .instance, .value, .verdict])' report.json | why
	fi
}

# holds NAME STAGE: this unproductive stage has most of the critical path of all of these.
holds() {
	is "$(jq -r '[.stages[] | select(.productive | not)] | max_by(.build_ns).stage' "$1.json")" "$2" \
		"of what is not productive, $2 has most of the critical path of $1"
}

# exact NAME: the critical path is as long as the build, to the nanosecond.
exact() {
	jq -e '([.names[].build_ns] | add) + .idle_ns == .wall_ns and ([.names[].path_ns] | add) == .paths_ns and
		([.stages[].build_ns] | add) == .wall_ns' "$1.json" >/dev/null
}

# same A B: all sums and shares are the same in two analyses.
same() {
	cmp -s <(jq -cS '.names |= sort_by(.name) | del(.data)' "$1.json") <(jq -cS '.names |= sort_by(.name) | del(.data)' "$2.json")
}

build healthy
is "$status" 0 "a build in which nothing was planted is good"
works "its critical path is as long as it is" exact healthy
build upload upload=12
accuses span unproductive_ratio "upload in "
holds upload upload
build cold cold=40
accuses span unproductive_ratio "cold in "
holds cold cold
build straggler straggler=60
accuses span straggled_ratio
accuses span mean_ratio
build little parallel=4
accuses span rounds_count
jq -e '.jobs.peak == 4' little.json >/dev/null
is $? 0 "of which at most four jobs ran at a time"
for name in upload cold straggler little; do
	works "the critical path of $name is as long as it is" exact "$name"
done

# The same lines in any order, and damaged ones among them.
shuf healthy.ndjson >shuffled.ndjson
judge shuffled
works "the order of the lines changes nothing" same healthy shuffled
awk 'NR % 100 == 50 { print substr($0, 1, length($0) / 2); next } { print }' upload.ndjson >damaged.ndjson
judge damaged
accuses span wrong_ratio
accuses span unproductive_ratio "upload in "
is "$(jq .data.bad_lines damaged.json)" "$(($(wc -l <damaged.ndjson) / 100 + ($(wc -l <damaged.ndjson) % 100 >= 50)))" \
	"1 % damaged lines are counted, and upload still has its stage"
awk 'NR % 8 == 3 { print "{"; next } { print }' upload.ndjson >worse.ndjson
judge worse
is "$(jq -r '[.checks[].metrics[] | select(.name == "unproductive_ratio") | .verdict] | unique | .[]' report.json)" \
	unknown "where an eighth is damaged no stage is judged"
"$BIN/spanhealth" damaged.ndjson >said
is "$(sed -n 's/^Data of damaged.ndjson: .*; \([0-9]*\) lines are damaged.*/\1/p;1q' said)" "$(jq .data.bad_lines damaged.json)" \
	"what is wrong with the data comes before the stage that is bad"
works "which comes behind it" grep -q '^BAD .*span .*upload in damaged.ndjson' said
"$BIN/spandiagnose" worse.ndjson >said
works "the data come first for people, too" sh -c 'head -1 said | grep -q "^Data: .* lines are damaged"'
works "and where they are damaged nothing is said to hold the build" \
	sh -c 'sed -n 2p said | grep -q "^What holds it is not said: [0-9]* % of the spans are wrong" && ! grep -q "holds the build" said'
mkdir lenient
printf '[metric wrong_ratio]\nbad = > 50%%\n' >lenient/span.ini
"$BIN/spandiagnose" -c lenient worse.ndjson >said
works "where that begins the check says, not the program" sh -c 'sed -n 2p said | grep -q "holds the build: it has"'
printf '{"trace_id":"1","span_id":"%s","parent_id":"%s","name":"%s","start_ns":%d,"duration":%d}\n' \
	1 "" client 1000000000 1000000000 2 1 server 3000000000 800000000 >ahead.ndjson
"$BIN/spanhealth" ahead.ndjson >said
works "that a clock is ahead is said of the data" \
	grep -q '^Data of ahead.ndjson: .*; 1 span is outside of its parent; 1 of these was moved, for its clock is another one' said
judge ahead
is "$(jq '.data.shifted, (.names[] | select(.name == "server").path_ns)' ahead.json | xargs)" "1 800000000" \
	"and its span is where it was"
head -c -70 healthy.ndjson >cut.ndjson
judge cut
is "$(jq -c '[.data.cut_off, .data.bad_lines]' cut.json)" "[true,0]" "a last line that is cut is no damage"
cat healthy.ndjson healthy.ndjson >twice.ndjson
judge twice
works "spans that come twice are taken once" same healthy twice

# Sums, and the numbers of others.
sqlite3 >sums <<'END'
CREATE TABLE lines(line TEXT);
.mode ascii
.separator "\001" "\n"
.import upload.ndjson lines
.mode list
.separator " "
SELECT json_extract(line, '$.name') AS name, count(*), sum(json_extract(line, '$.duration')) FROM lines GROUP BY name ORDER BY name;
END
jq -r '.names | sort_by(.name)[] | "\(.name) \(.count) \(.sum_ns)"' upload.json >ours
works "counts and sums are those of sqlite3" cmp sums ours
"$BIN/spandiagnose" --build up --to sqlite --into all.db upload.ndjson &&
	"$BIN/spandiagnose" --to sqlite --into all.db healthy.ndjson
is "$(sqlite3 -separator ' ' all.db "SELECT name, spans, sum_ns FROM sums WHERE build_id = 'up' ORDER BY name")" "$(cat ours)" \
	"the view of the database says the same of a build, with another one beside it"
is "$(sqlite3 all.db "SELECT sum(cp_ns) FROM spans WHERE build_id = 'up'")" "$(jq .paths_ns upload.json)" \
	"and its critical paths are as long as their roots"
is "$("$BIN/spandiagnose" -o folded upload.ndjson | awk '{ sum += $NF } END { printf "%.0f", sum }')" \
	"$(jq .wall_ns upload.json)" "folded stacks of the critical path are as long as the build"
"$BIN/spandiagnose" --svg path.svg upload.ndjson >/dev/null
works "and are drawn" grep -q s3.store path.svg
for options in "" "--group worker_id "; do
	# shellcheck disable=SC2086
	"$BIN/spandiagnose" $options--svg path.svg upload.ndjson >/dev/null
	"$BIN/tuesday" flame --from svg path.svg --svg again.svg >/dev/null
	works "a picture is made again from what is in it" cmp path.svg again.svg
done
is "$(grep -c '<title>' path.svg | awk '{ print ($1 > 3) }')" 1 "which is a picture of several frames"
for form in chrome jaeger; do
	"$BIN/spandiagnose" --to "$form" healthy.ndjson >"$form.ndjson"
	works "what is written for $form is JSON" jq -e . "$form.ndjson"
	judge "$form"
	cmp -s <(jq -c '[.names[] | [.name, .count]] | sort' healthy.json) <(jq -c '[.names[] | [.name, .count]] | sort' "$form.json")
	is $? 0 "and is read back whole"
done
# What else a span says of itself goes with it: the map of stages asks for it.
"$spans" jobs=200 headers=5 cold=40 >cold.ndjson
for form in chrome jaeger; do
	"$BIN/spandiagnose" --to "$form" cold.ndjson >"$form.cold"
	is "$("$BIN/spandiagnose" --group job_count -n 1000 -o json "$form.cold" | jq -cS '[.names[] | [.name, .count]] | sort')" \
		"$("$BIN/spandiagnose" --group job_count -n 1000 -o json cold.ndjson | jq -cS '[.names[] | [.name, .count]] | sort')" \
		"$form has the fields of spans"
done
# Slices of one lane nest: what begins within one ends within it.
# shellcheck disable=SC2016
works "slices of a lane nest" jq -e '[.traceEvents[] | select(.ph == "X")] | group_by(.tid) |
	all(.[]; sort_by(.ts, -.dur) | reduce .[] as $slice ([[], true];
		(.[0] | map(select(. > $slice.ts + 0.0015))) as $open |
		[$open + [$slice.ts + $slice.dur], .[1] and ($open == [] or ($open | min) >= $slice.ts + $slice.dur - 0.0015)]) | .[1])' chrome.ndjson
# shellcheck disable=SC2086
"$spans" $small jobs=4000 >larger.ndjson
"$BIN/spandiagnose" --to chrome --most 1 --into some.json larger.ndjson 2>err
is "$(jq .otherData.dropped some.json)" "$(grep -oE '[0-9]+ of [0-9]+ spans were left out' err | cut -d ' ' -f 1)" \
	"what was left out is said, and stands in the file"

# Groups: what 40 workers do is on the path by their ids, exactly.
"$BIN/spandiagnose" --group worker_id -n 1000 -o json healthy.ndjson >group.json
jq -e '([.names[].build_ns] | add) + .idle_ns == .wall_ns and
	([.names[] | select(.name | test("^w[0-9]+$"))] | length == 40 and (map(.count) | add) == 200 and (map(.build_ns) | add) > 0)' \
	group.json >/dev/null
is $? 0 "by worker_id, each of 40 workers has its jobs, and what it did of the path"

"$BIN/spandiagnose" --group worker-id healthy.ndjson >out 2>err
is "$? $(wc -l <err) $(wc -l <out)" "3 1 0" "a field that no span has is refused in one line"
works "with the one that was meant, and all there are" \
	grep -qE "no span has the field 'worker-id'; did you mean 'worker_id'\? There are: .*job_count" err

# Builds that are kept.
"$BIN/spandiagnose" --state "$work/state" --build before healthy.ndjson >/dev/null
"$BIN/spandiagnose" --state "$work/state" --build after --compare last upload.ndjson >compared
works "a build is compared with the last one" grep -qE 's3.store p50: .* -> .*, \+[0-9]+ %' compared
works "within these two builds" grep -q 'Changed within these two builds' compared
if grep -qE '^  (exec|detect_dependencies) p' compared; then
	fail "and what was left alone has not changed"
else
	pass "and what was left alone has not changed"
fi
"$BIN/spandiagnose" --state "$work/state" --compare before healthy.ndjson >compared
works "with itself nothing has changed" grep -qx '  nothing' compared

# Hostile names, for each place that they go to.
hostile='{"trace_id":"<t>","span_id":"1","name":"\u001b[31m</script>;a b\u202e\"'"'"'--","start_ns":1,"duration":5,"fields":{"x\u0000":"\ud800"}}'
printf '%s\n' "$hostile" >hostile.ndjson
judge hostile
works "a hostile name stays JSON" jq -e . hostile.json
"$BIN/spandiagnose" hostile.ndjson >text
if LC_ALL=C grep -q $'\x1b\\|\xe2\x80\xae' text; then
	fail "no escape reaches the terminal"
else
	pass "no escape reaches the terminal"
fi
is "$("$BIN/spandiagnose" -o folded hostile.ndjson | awk '{ print NF, $NF }' | tail -n 1 | cut -d ' ' -f 2)" 5 "nor does it part a folded stack"
# shellcheck disable=SC2016
works "nor break what is converted" sh -c '"$0" --to chrome hostile.ndjson | jq -e . && "$0" --to jaeger hostile.ndjson | jq -e . &&
	"$0" --to sqlite --into hostile.db hostile.ndjson && sqlite3 hostile.db "SELECT json(fields) FROM spans"' "$BIN/spandiagnose"

# Misuse, in one line each.
for arguments in "" "--to sqlite healthy.ndjson" "--into x healthy.ndjson" "--most 0 healthy.ndjson" "--to xml healthy.ndjson"; do
	# shellcheck disable=SC2086
	"$BIN/spandiagnose" $arguments >out 2>err
	is "$? $(wc -l <err)" "64 1" "'$arguments' is refused in one line"
done
for program in spanhealth spandiagnose; do
	is "$("$BIN/$program" --help | awk 'length > 100')" "" "--help of $program fits into 100 columns"
done
"$BIN/spanhealth" /dev/null 2>err
is "$? $(wc -l <err)" "3 1" "so is an empty file"
"$BIN/spandiagnose" "$0" 2>err
is "$? $(wc -l <err)" "3 1" "and what is no file of spans"
plan
