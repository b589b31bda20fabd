#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The program for aarch64, in QEMU's user mode: does it look at counters, and judge recorded machines as the one for
# this machine does? What the mode passes on to the kernel is not all: netlink, BPF and clocks of others it refuses.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cache=${TUESDAY_CROSS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tuesday-aarch64}
qemu=$cache/qemu/usr/bin/qemu-aarch64-static
other=$BUILD/aarch64/bin/tuesday
if [ ! -x "$qemu" ] || [ ! -x "$other" ]; then
	echo "1..0 # SKIP $(cat "$cache/why-not" 2>/dev/null || echo "no program for aarch64 was built: make check-aarch64 does it")"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C TUESDAY_STATE_DIR=$work/state
foreign() {
	"$qemu" "$other" "$@"
}

# The kernel's EM_AARCH64 is 183, in the header's bytes 18 and 19.
is "$(od -An -tu2 -j18 -N2 "$other" | tr -d ' ')" 183 "the program is one of aarch64"
is "$(foreign --version | awk '{ print $1 }')" tuesday "it starts"
foreign --no-such-option >/dev/null 2>&1
is $? 64 "and ends with the status that it should"
foreign run --quick --no-trace --no-history -o json >live.json 2>errors
is "$(jq -r .schema live.json)" "tuesday/1" "it looks at this machine's counters"
# Of each source of counters one check.
for check in disk memory fs files pids softirq; do
	verdict=$(jq -r --arg check "$check" '.checks[] | select(.check == $check) | .verdict' live.json)
	[ -n "$verdict" ] || continue
	t "the check $check has an answer: $verdict" test "$verdict" != unknown
done

# judged PROGRAM...: the verdicts of a recorded machine.
judged() {
	"$@" run --replay "$work/machine" --no-history -o json 2>/dev/null |
		jq -c '[.checks[] | [.check, .verdict, [.metrics[] | select(.verdict == "bad" or .verdict == "maybe") | .name]]]'
}
number=0
for recording in "$root"/tests/replay/*.tar.gz; do
	[ $((number++)) -lt 20 ] || break
	rm -rf machine && mkdir machine
	tar -xzf "$recording" -C machine --strip-components=1 2>/dev/null
	[ -e machine/environment ] || { rm -rf machine && mkdir machine && tar -xzf "$recording" -C machine; }
	name=$(basename "$recording" .tar.gz)
	judged "$BIN/tuesday" >here
	judged foreign >there
	t "$name was judged" grep -q good here
	is "$(md5sum <there)" "$(md5sum <here)" "$name is judged as on this machine"
done
t "there were recorded machines" test "$number" -gt 5
plan
