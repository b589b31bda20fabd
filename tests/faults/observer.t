#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday say what it costs to be watched, and by whom, and say nothing of who watches at no cost?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq flock nm unshare
# tracefs is looked at where it is mounted, which must be nobody else's business.
[ "${OWN_MOUNTS:-}" = "$0" ] || OWN_MOUNTS=$0 exec unshare -m "$0"
loud
begin
watcher=$helpers/watcher
tracing=/sys/kernel/tracing

# A program at each system call that takes longer than the call.
if [ -e /sys/kernel/btf/vmlinux ]; then
	start watcher "$watcher" bpf 20000 600
	examine --quick observer
	accuses observer watching_ratio programs_ratio
	names observer process watcher
	check_that "observer names the program and its owner" observer \
		'any(.metrics[]; .name == "program_ratio" and .verdict == "maybe" and (.label // .instance | contains("test_watch")))'
	check_that "its own programs are shown, and accuse nobody" observer \
		'all(.culprits[]; .name != "tuesday")'
	stop watcher
	# One that costs nothing, and another one like us.
	start watcher "$watcher" bpf 0 600
	"$BIN/tuesday" run lock stops --windows 3 --window 1 >/dev/null 2>&1 8>&- &
	examine --quick observer
	check_that "who watches at no cost is not accused, nor is another Tuesday" observer '.verdict == "good"'
	wait $!
	stop watcher
	# As an iterator over all tasks runs: for milliseconds, and not again for a while.
	start watcher "$watcher" burst 20000 600
	examine --quick observer
	check_that "what runs in bursts is not taken for what goes on" observer '.verdict == "good"'
	stop watcher
else
	skip "observer names the program and its owner" "this kernel has no types for BPF"
fi

start watcher "$watcher" trace 0 600
examine --quick observer
accuses observer traced_switches_per_second
names observer process watcher
stop watcher

start holder "$watcher" hold 0 600
start runner "$watcher" run 0 600
start scanner "$watcher" scan 0 600
probe=tuesday_test_$$
at=$(nm "$watcher" | awk '$3 == "watched_call" { print $1 }')
if mount -t tracefs tracefs "$tracing" 2>/dev/null && [ -e "$tracing/uprobe_events" ]; then
	undo eval "echo -:$probe >>$tracing/uprobe_events || ! grep -q $probe $tracing/uprobe_events"
	undo eval "echo 0 >$tracing/events/uprobes/$probe/enable"
	echo "p:$probe $watcher:0x$at" >>"$tracing/uprobe_events" || bail "cannot make a uprobe"
	echo 1 >"$tracing/events/uprobes/$probe/enable"
	probes=uprobe_hits_per_second
else
	skip "a uprobe is named" "this kernel has no uprobes in tracefs"
fi
examine --quick observer
for metric in held_count fanotify_wait_seconds $probes; do
	accuses observer "$metric"
done
names observer process watcher
stop runner
[ -z "$probes" ] || echo 0 >"$tracing/events/uprobes/$probe/enable"
stop holder
stop scanner
recovers observer

plan
