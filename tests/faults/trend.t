#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is who nears a limit named before he is there, with the time that is left, and left alone as soon as he
# stands still?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq unshare
begin

# 700 of 1200 open files, and ten more a second until the file that it looks at is gone.
leak() {
	# shellcheck disable=SC2016
	exec -a leaky bash -c 'ulimit -Sn 1200
		echo leaky >/proc/$$/comm
		for i in {1..700}; do exec {fd}</dev/null; done
		echo ready
		for i in {1..400}; do
			[ ! -e "$0" ] || exec {fd}</dev/null
			read -rt 0.1 <> <(:)
		done' "$scratch/leaks"
}
touch "$scratch/leaks"
start leaky leak
examine files
accuses files process_open_ratio
names files process leaky
check_that "files is maybe, and no more, before the limit" files '.verdict == "maybe"'
check_that "  and says when it is there" files 'any(.metrics[]; .name == "process_open_ratio" and
	.forecast.source == "windows" and .forecast.due and .forecast.target == 1 and
	.forecast.seconds > 5 and .forecast.seconds < 600)'
check_that "  in words" files '.summary | test("leaky .*at this rate full in ")'
rm "$scratch/leaks"
examine files
check_that "what stands still far from its limit is good" files '.verdict == "good" and
	all(.metrics[]; .forecast == null)'
stop leaky

# A file system in memory that is filled from 70 % on.
cat >"$scratch/filling" <<'SH'
mount -t tmpfs -o size=64m,nr_inodes=100 tmpfs "$1" || exit 1
head -c 45M /dev/zero >"$1/before"
for i in {1..60}; do
	[ ! -e "$2" ] || head -c 128k /dev/zero >>"$1/log"
	sleep 0.1
done &
fills=$!
"$BIN/tuesday" run "${@:3}" fs -o json
rm -f "$2"
sleep 0.2
"$BIN/tuesday" run "${@:3}" fs -o json >"$1/then"
cat "$1/then"
kill "$fills"
wait
SH
export BIN
mkdir "$scratch/at"
touch "$scratch/fills"
unshare -m bash "$scratch/filling" "$scratch/at" "$scratch/fills" --quick --windows 2 --window 0.5 \
	>"$scratch/both.json"
jq -s '.[0]' "$scratch/both.json" >"$scratch/run.json"
accuses fs time_to_full_seconds
names fs device tmpfs
jq -s '.[1]' "$scratch/both.json" >"$scratch/run.json"
check_that "what is filled no more is not accused" fs '
	any(.metrics[]; .name == "time_to_full_seconds" and (.verdict == "good" or .verdict == "maybe")) and
	any(.metrics[]; .name == "space_used_ratio" and .value != null) and
	all(.metrics[]; .name != "time_to_full_seconds" or .verdict != "maybe" or (.instance | endswith("/at") | not))'
plan
