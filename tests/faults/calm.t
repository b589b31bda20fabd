#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the whole checklist stay calm on a machine that is idle, on one that compiles, and in something like
# a container?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq unshare setpriv
loud
begin

# calm WHEN: of the last run nothing is bad, and at most two checks are maybe.
calm() {
	nothing_else -
	ask '.checks[] | select(.verdict == "maybe") | "# maybe: \(.check): \(.summary)"'
	check_that_all "at most two checks are maybe $1" "$met"'[.checks[] | select(met == "maybe")] | length <= 2'
}

examine --deep
calm "on an idle machine"

# All CPUs, many short processes, and files read and written: the project builds itself.
compile() {
	echo ready
	exec setpriv --pdeathsig KILL make -C "$root" -s -j"$(nproc)" \
		BUILD="$scratch/build" BIN="$scratch/bin" all
}
start compile compile
examine
calm "while the project compiles with all CPUs"
stop compile

# A disk and a server that keep up with their load: tests/long/steady.t asks hundreds of times.

# Namespaces of its own, nobody's rights, and only its own processes to be seen.
chmod 755 "$scratch"
cp "$BIN/tuesday" "$scratch/tuesday"
contained() {
	local windows

	short_windows
	unshare --mount --pid --net --ipc --uts --cgroup --fork --mount-proc \
		setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all \
		"$scratch/tuesday" run "${windows[@]}" -o json >"$scratch/run.json" 2>"$scratch/run.err" 8>&-
}
contained
check_that_all "in a container it gives a result" '.schema == "tuesday/1"'
# As in nothing_else: what the machine does just then is not the container's, and a wrong verdict is wrong twice.
accused=$(bad_but -)
# shellcheck disable=SC2086
answered $accused
if [ -n "$accused" ]; then
	echo "# bad in the container, asked again: ${accused//$'\n'/ }"
	contained
fi
sees
is "$(bad_but -)" "" "  nothing is bad there"
ask '.checks[] | select(.verdict == "maybe") | "# maybe: \(.check): \(.summary)"'
check_that_all "  at most two checks are maybe" "$met"'[.checks[] | select(met == "maybe")] | length <= 2'
plan
