#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the whole checklist stay calm on a machine that is idle, on one that is busy and well, and in
# something like a container?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq unshare setpriv losetup fio hey busybox
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

# Reads at a fifth of what a slow disk gives.
read_moderately() {
	echo ready
	exec setpriv --pdeathsig KILL fio --name=calm --filename="$1" --rw=randread --bs=4k \
		--direct=1 --ioengine=psync --thread --rate_iops=50 --runtime=600 --time_based
}
head -c 64M /dev/urandom >"$scratch/disk" || bail "no room in $scratch"
loop=$(losetup -f --show --direct-io=on "$scratch/disk") || bail "no loop device"
undo losetup -d "$loop"
start read read_moderately "$loop"
examine
calm "while fio reads a disk within its means"
stop read

# 100 requests a second: a process each, which the server forks.
serve() {
	echo ready
	exec setpriv --pdeathsig KILL ip netns exec "$server" \
		busybox httpd -f -p 127.0.0.1:8080 -h "$scratch/web"
}
request() {
	echo ready
	exec setpriv --pdeathsig KILL ip netns exec "$server" \
		hey -z 600s -c 2 -q 50 http://127.0.0.1:8080/index.html
}
server=tuesday-test-$$
new_netns "$server"
mkdir "$scratch/web"
echo hello >"$scratch/web/index.html"
start serve serve
start request request
examine
calm "while a web server keeps up with its load"
stop request
stop serve

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
