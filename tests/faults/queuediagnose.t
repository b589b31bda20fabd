#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does queuediagnose say how long one stands behind the other? For a CPU one of them has it for 40 of every 100 ms,
# whatever else runs; for a disk the program that waits takes the time of each of its reads itself.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq losetup
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no types to trace with"
runtime=$(cat /proc/sys/kernel/sched_rt_runtime_us)
[ "$runtime" -gt 500000 ] || skip_all "real-time tasks may not have half of a CPU here"
loud
begin

# diagnose ARGUMENT...: what queuediagnose answers is in run.json.
diagnose() {
	"$BIN/queuediagnose" "$@" -o json >"$scratch/run.json" 2>"$scratch/run.err" 8>&- ||
		bail "queuediagnose $*: $(head -c 300 "$scratch/run.err")"
}

# says SENTENCE JQ_CONDITION
says() {
	if ask -e "$2" >/dev/null; then
		pass "$1"
	else
		fail "$1"
		head -c 1500 "$scratch/run.json" | why
	fi
}

last=$(($(nproc) - 1))
start patient "$helpers/spin" -C patient -c "$last" 1 60
start hurried "$helpers/spin" -C hurried -c "$last" -f 20 -w 40 -p 100 1 60
# Others may wait half a slice when the look ends, so it is asked again where it was not exact.
for _ in 1 2 3; do
	diagnose patient hurried --only cpu --for 4s
	ask -e '.cpu | (.waited_seconds / .kernel_counted_seconds - 1 | fabs) < 0.02' >/dev/null && break
done
says "who has the CPU 40 % of the time is ahead of the other for 40 %" \
	'(.cpu.behind_b_seconds / .seconds / 0.4 - 1 | fabs) < 0.05'
says "what it waited is what the kernel counts, within 2 %" \
	'.cpu | (.waited_seconds / .kernel_counted_seconds - 1 | fabs) < 0.02'
says "and it says so" '.cpu.agrees_with_kernel'
says "nearly all that is behind somebody with a name" '.cpu.confidence_ratio > 0.95'
diagnose policy=fifo,name=hurried 'name=patient,kind=program' --only cpu --for 0.5s
says "who is ahead by his policy waits for nobody below" '.cpu.behind_b_seconds < 0.01'
diagnose --only cpu --for 0.5s
says "without names the two are in the matrix" \
	'any(.cpu.waits[]; .waiter.name == "patient" and .ahead.name == "hurried" and .seconds > 0.1)'
"$BIN/queuediagnose" patient hurried --only cpu --for 0.5s >"$scratch/run.json"
is "$(grep -c '^patient waited .* for a CPU in .* behind hurried\.$' "$scratch/run.json")" 1 "the first sentence says it"
is "$(grep -c '^What to do: .*real-time policy fifo' "$scratch/run.json")" 1 "and the last one what to do"
"$BIN/queuediagnose" --board --for 0.5s >"$scratch/run.json"
is "$(grep -cE '^  [A-L] (patient|hurried) \([0-9]+\), ' "$scratch/run.json")" 2 "both are on the checkerboard"
"$BIN/queuediagnose" --svg "$scratch/board.svg" --for 0.5s
is "$(grep -c '<title>CPU [0-9]*, from .*hurried .*threads that wait: .*patient' "$scratch/board.svg" | sed 's/^[1-9][0-9]*$/some/')" \
	some "and in the SVG, where a field says who runs and who waits"
stop patient
stop hurried

# A cgroup that may have a fifth of a CPU waits for nobody but its quota.
if root=$(v1_root cpu || v2_root cpu); then
	new_cgroup "$root"
	if [ -e "$cgroup/cpu.max" ]; then
		echo '20000 100000' >"$cgroup/cpu.max"
	else
		echo 20000 >"$cgroup/cpu.cfs_quota_us"
	fi
	start quoted in_cgroup "$cgroup" "$helpers/spin" -C quoted 1 60
	for _ in 1 2 3; do
		diagnose "/$cgroup_name" --only cpu --for 1s
		ask -e '.cpu.waits[0].ahead.kind == "quota"' >/dev/null && break
	done
	says "who is held back by a quota waits for that, and for no neighbour" \
		'.cpu.waits[0].ahead.kind == "quota" and .cpu.waits[0].seconds > 0.5'
	stop quoted
else
	skip "who is held back by a quota waits for that, and for no neighbour" "no cgroup has a CPU quota here"
fi

# A process alone on its CPU, with nobody to blame: where others leave it alone, it waits for hardly anything.
diagnose pid=1 --only cpu --for 0.3s
says "who sleeps waits for nothing" '.cpu.waited_seconds < 0.1'

size_mib=64
mkdir "$scratch/disk"
mount -t tmpfs -o size=$((size_mib + 1))m none "$scratch/disk" || bail "cannot mount a tmpfs"
undo umount "$scratch/disk"
truncate -s ${size_mib}M "$scratch/disk/image"
disk=$(losetup --find --show "$scratch/disk/image") || bail "cannot make a loop device"
undo losetup -d "$disk"
start crowd "$helpers/randread" "$disk" 16 60
start reader "$helpers/randread" "$disk" 1 4
diagnose "${started[reader]}" "${started[crowd]}" --only disk --for 2s
says "one of seventeen readers mostly stands behind the sixteen" \
	'.disk_device.behind_b_seconds + .disk_scheduler.behind_b_seconds >
		(.disk_device.waited_seconds + .disk_scheduler.waited_seconds) * 0.5'
# How much of the time is the machine's: where CPUs are slower than its memory, the seventeen wait for those.
says "its reads follow each other: they take a good part of the time, and no more than there is" \
	'(.disk_device.waited_seconds + .disk_scheduler.waited_seconds) / .seconds | . > 0.1 and . < 1.02'
stop crowd
diagnose "${started[reader]}" "${started[crowd]:-1}" --only disk --for 0.5s
says "alone it stands behind nobody" \
	'.disk_device.behind_b_seconds + .disk_scheduler.behind_b_seconds == 0'
stop reader

# Who is not there is said, and no sum of 0; a number at once, a name when the look is over: it may have come.
for b in no-such-program 4194303; do
	"$BIN/queuediagnose" 1 "$b" --for 0.3s >"$scratch/run.json" 2>&1
	is "$? $(cat "$scratch/run.json")" "3 $BIN/queuediagnose: there is no process '$b'" "a B that is not there is an error: $b"
done
# What was seen until somebody ends it counts.
(exec "$BIN/queuediagnose" --only cpu --for 60s >"$scratch/run.json" 2>&1 8>&-) &
ended=$!
undo_process "$ended" KILL
sleep 1.5
kill -TERM "$ended"
wait "$ended"
is "$? $(grep -c '^However: it was interrupted after .* of the 60 s that it was to look\.$' "$scratch/run.json")" "0 1" \
	"one that is ended keeps what it has, and says that it was"

"$BIN/queuediagnose" color=red >"$scratch/run.json" 2>&1
is "$? $(wc -l <"$scratch/run.json")" "64 1" "what is no condition is refused in a line"

plan
