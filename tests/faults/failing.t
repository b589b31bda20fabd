#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name a program that goes on writing to what has become read-only, and leave alone those that try once?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq setpriv
traces raw_syscalls/sys_exit || skip_all "this kernel has no types to trace with"
begin
mkdir "$scratch/data"

# read_only COMMAND...: in a mount namespace of its own, where what was written to is read-only by now.
read_only() {
	# shellcheck disable=SC2016
	exec setpriv --pdeathsig KILL unshare -m bash -c 'mount -t tmpfs none "$1" && : >"$1/log" &&
		mount -o remount,ro "$1" && echo ready && cd "$1" && shift && "$@"' bash "$scratch/data" "$@"
}

keep_writing() {
	echo writer >"/proc/$BASHPID/comm"
	while :; do
		echo line 2>/dev/null >>log
		sleep 0.05
	done
}

# Another process each time: what is there, what is not, and whether it may be written to.
try_once() {
	while :; do
		bash -c 'test -e nothing; test -w log; : >>log' 2>/dev/null
		sleep 0.05
	done
}
export -f keep_writing try_once

start writes read_only keep_writing
examine --quick --windows 6 --window 1 failing
check_that "failing is bad by what fails again and again" failing '.verdict == "bad" and
	any(.metrics[]; .name == "failing_seconds" and .instance == "EROFS" and .verdict == "bad")'
names failing process writer
stop writes

start tries read_only try_once
examine failing
check_that "failing has seen that many fail once, and accuses nobody" failing '.verdict == "good" and
	any(.metrics[]; .name == "failures_per_second" and .instance == "EROFS" and .value > 0)'
stop tries

# A machine that is merely busy: what too many calls hide from the sentinel is not cleared, and not unknown.
call_often() {
	echo ready
	exec setpriv --pdeathsig KILL dd if=/dev/zero of=/dev/null bs=1 status=none
}
start calls call_often
examine --quick --windows 4 failing
stop calls
if ask -e 'any(.checks[0].howevers[]; contains("took itself away"))' >/dev/null; then
	is "$status" 0 "a machine with too many calls for the sentinel is well"
	check_that "and is not cleared of what fails there" failing '.verdict == "good" and (.exonerated | not) and
		(.reason | contains("took itself away"))'
else
	skip "a machine with too many calls for the sentinel is well" "this one makes fewer than 500000 a second"
fi

plan
