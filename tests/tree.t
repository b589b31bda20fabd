#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A tree of another machine's files (--root): what does Tuesday say of what no file can tell?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
command -v jq >/dev/null || { echo "1..0 # SKIP needs jq"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p root/proc/sys/kernel root/proc/pressure
cat >root/proc/stat <<END
cpu  1000 0 1000 1000 0 0 0 0 0 0
cpu0 1000 0 1000 1000 0 0 0 0 0 0
ctxt 1
processes 100
END
echo "5000.00 100.00" >root/proc/uptime
echo 4.19.0-9-generic >root/proc/sys/kernel/osrelease
printf '%s avg10=0.00 avg60=0.00 avg300=0.00 total=0\n' some full >root/proc/pressure/io
echo "/dev/sda1 / ext4 rw,relatime 0 0" >root/proc/mounts

call "$BIN/tuesday" run --root root --windows 1 --window 0.2 -o json
# of CHECK JQ_CONDITION: is this so of its result?
of() {
	# shellcheck disable=SC2016
	jq -e --arg check "$1" "[.checks[] | select(.check == \$check)][0] | $2" out >/dev/null
}
t "a tree that stands still is unknown" [ "$status" = 3 ]
t "nobody is asked for rights that would tell no more of it" \
	jq -e '[.checks[] | .reason, .metrics[]?.missing | strings | select(test("CAP_|as root"))] == []' out
t "no reason of the tree is that an operation is not supported" \
	jq -e '[.. | strings | select(test("Operation not supported"))] == []' out
t "what waits is not in files, and it says so" of hung \
	'.verdict == "unknown" and (.reason | contains("only the machine itself can be asked"))'
t "file systems are listed in /proc/mounts as well" of fs '.verdict != "skip"'
t "without a disk nothing waits for one, whatever else is not known" of disk '.verdict == "skip"'
t "a tree without cgroups has nothing to say of them" of cgmem '.verdict == "skip"'
t "and no quota that holds anybody back" of throttle '.verdict == "skip"'
plan
