#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does an experiment find that a large read-ahead is the cause, and how much it costs, and does it
# leave no mark? Does one that changes nothing find nothing?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup
begin

limit_v1() {
	echo "$1 $2" >"$cgroup/blkio.throttle.read_bps_device"
}

limit_v2() {
	echo "$1 rbps=$2" >"$cgroup/io.max"
}

if root=$(v1_root blkio); then
	limit=limit_v1
elif root=$(v2_root io); then
	limit=limit_v2
else
	skip_all "no cgroup controller for block devices"
fi
truncate -s 256M "$scratch/disk" || bail "no room in $scratch"
loop=$(losetup -f --show "$scratch/disk") || skip_all "no loop device"
undo losetup -d "$loop"
name=${loop#/dev/}
knob=/sys/block/$name/queue/read_ahead_kb
other=/sys/block/$name/queue/add_random
count=$scratch/pages
export TUESDAY_RUN_DIR=$scratch/run
[ -w "$knob" ] || skip_all "no $knob here"
new_cgroup "$root"

# The harm: with 64 MiB/s, each page that is wanted costs as much as is read around it.
echo 1024 >"$knob" || bail "cannot set $knob"
"$limit" "$(cat "/sys/block/$name/dev")" $((64 << 20)) || bail "cannot limit $loop in $cgroup"
start mapread in_cgroup "$cgroup" "$helpers/mapread" "$loop" "$count"

mkdir "$scratch/checks"
cat >"$scratch/checks/mapped.ini" <<END
[check]
question = Are pages read at random read fast?
area = disk
[metric pages_per_second]
value = rate($count)
class = cause
source = none
why = The work that is done.
however = Nothing.
[experiment read_around]
question = Does reading around cost more than it brings?
knob = /sys/block/{instance}/queue/read_ahead_kb
set = old / 4
label = read-ahead
observe = rate($count)
better = higher
say = pages {effect} faster
say.worse = pages {effect} slower
rounds = 16
measure = 400ms
settle = 300ms
risk = 2
warning = A stream is slower meanwhile.
proves = What was read around was not wanted.
margin = 50%
source = judgement
however = A stream gains from it.
[experiment entropy]
question = Does the randomness that a disk gives cost anything?
knob = /sys/block/{instance}/queue/add_random
set = 1
observe = rate($count)
better = higher
rounds = 8
measure = 400ms
settle = 50ms
risk = 1
warning = None.
proves = Nothing.
margin = 50%
source = judgement
however = Nothing.
END
# The margins: the throttle lets through what belongs to a slice of 100 ms at once, and four or five slices
# begin in a phase, which is a difference of a quarter by chance.
# The test's own doing, and nothing to end an experiment for.
printf '[metric io_full_ratio]\nvalue =\n' >"$scratch/checks/guard.ini"

pages() {
	local before

	before=$(cat "$count")
	sleep 0.8
	echo $((10#$(cat "$count") - 10#$before))
}

# What the effect is, by plain measuring: all that it was in three rounds, and a little more.
for _ in 1 2 3; do
	echo 1024 >"$knob"
	sleep 0.3
	large=$(pages)
	echo 256 >"$knob"
	sleep 0.3
	echo "$large $(pages)"
done >"$scratch/plain"
echo 1024 >"$knob"
read -r least most <<<"$(awk '{ r = $2 / ($1 > 0 ? $1 : 1) - 1
		if (NR == 1 || r < lo) lo = r
		if (NR == 1 || r > hi) hi = r }
	END { print lo * 0.85, hi * 1.15 }' "$scratch/plain")"
echo "# plain: $(tr '\n' ';' <"$scratch/plain") so an effect from $least to $most"

has() {
	jq -e --argjson least "$least" --argjson most "$most" "$1" "$scratch/run.json" >/dev/null
}

experiment() {
	"$BIN/tuesday" run mapped --quick --no-trace -c "$scratch/checks" --instance "$name" \
		--yes "mapped/$1" -o json >"$scratch/run.json" 2>"$scratch/err"
	status=$?
	jq -r '.checks[0].experiments[0].summary, .checks[0].experiments[0].notes[]' \
		"$scratch/run.json" | sed 's/^/# /'
	sed 's/^/# /' "$scratch/err"
}

experiment read_around
works "the experiment finds a change for the better" \
	has '.checks[0].experiments[0] | .answer == "changed" and .better'
# shellcheck disable=SC2016
works "the interval holds what plain measuring finds" \
	has '.checks[0].experiments[0] | .low <= $most and .high >= $least and .low > 0.05'
works "it is evidence: the check that was good may be bad" \
	has '.checks[0] | .verdict == "maybe" and .tier == "experiment" and (.exonerated | not)'
is "$status" 1 "the exit status says so"
works "it says from where to where" \
	has '.checks[0].experiments[0] | .from == "1024" and .to == "256" and .restored'
is "$(cat "$knob")" 1024 "the knob holds what it held"

echo 0 >"$other"
experiment entropy
works "an experiment without effect finds none" \
	has '.checks[0].experiments[0] | .answer == "same" or .answer == "inconclusive"'
works "and leaves the verdict" has '.checks[0].verdict == "good"'
is "$(cat "$other")" 0 "that knob holds what it held too"
plan
