#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does cpudiagnose name the function that is hot, and how deep it is? Does offcpudiagnose name the function that
# waits, and who ends that?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq python3
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no types for the probe"
quiet
begin
cd "$scratch" || exit 1

# running WHAT OPTION...: a look of half a second at a helper, as JSON in look.json, again where others kept it off
# the CPUs.
running() {
	for _ in 1 2 3 4; do
		"$BIN/cpudiagnose" "$1" --for 0.5s --hertz 399 -o json "${@:2}" >look.json 2>err
		status=$?
		jq -e '.samples >= 60' look.json >/dev/null 2>&1 && return
	done
}

# json SENTENCE FILTER: on failure the look is shown.
json() {
	if jq -e "$2" look.json >/dev/null 2>&1; then
		pass "$1"
	else
		fail "$1"
		head -c 1500 look.json err | why
	fi
}

start hot "$helpers/framed" 60 hot
running "${started[hot]}"
json "the hot function comes first, with its share" \
	'.functions[0] | .name == "burn" and .self_ratio > 0.65 and .self_ratio < 0.92 and .caller == "framed_hot"'
json "its stacks are whole" '.broken_ratio < 0.05 and .samples_lost == 0'
"$BIN/cpudiagnose" "${started[hot]}" --for 0.5s --hertz 399 --svg hot.svg -o folded --to hot.folded
if grep -q '^framed;.*;main;framed_hot;burn [0-9]*$' hot.folded; then
	pass "folded stacks go from the process to the function"
else
	fail "folded stacks go from the process to the function"
	head -n 3 hot.folded | why
fi
is "$("$BIN/tuesday" flame --from svg hot.svg -o folded | sort | cksum)" "$(sort hot.folded | cksum)" "the picture has the same stacks"
is "$("$BIN/tuesday" flame hot.folded | grep -c '^burn takes\|in burn')" 1 "tuesday flame reads them"
if grep -q '<svg' hot.svg && grep -q 'burn' hot.svg; then
	pass "the picture has it"
else
	fail "the picture has it"
fi
# A fifth of a second at 399 Hz is 80 samples of one thread; a whole look would be 240.
for _ in 1 2 3 4; do
	"$BIN/cpudiagnose" "${started[hot]}" --for 0.6s --hertz 399 --range 0.2s-0.4s -o json >look.json 2>err
	jq -e '.samples > 0' look.json >/dev/null && break
done
json "--range takes the samples of that part of the look" '.samples > 0 and .samples <= 84 and (.functions[0].name == "burn")'
"$BIN/cpudiagnose" --thread "${started[hot]}" --for 0.3s --hertz 399 --by thread -o folded >thread.folded
is "$(grep -vc "^framed ${started[hot]};" thread.folded)" 0 "of one thread, by thread"
"$BIN/cpudiagnose" "${started[hot]}" --for 0.5s --hertz 399 >said
if grep -q "^burn takes [0-9.]* % (95 %: [0-9]* to [0-9]*) of the CPU time of process ${started[hot]}, .* called by framed_hot" said &&
	grep -q '^Cycles per instruction: ' said; then
	pass "the sentence comes first"
else
	fail "the sentence comes first"
	head -n 5 said | why
fi
stop hot

if parent=$(v2_root cpu || v1_root cpu); then
	new_cgroup "$parent"
	start grouped in_cgroup "$cgroup" "$helpers/framed" 60 hot
	"$BIN/cpudiagnose" --cgroup "$cgroup" --by cgroup --for 0.5s --hertz 399 -o folded >grouped.folded 2>err
	if grep -q "^[^;]*/$cgroup_name;.*;burn [0-9]*$" grouped.folded && ! grep -qv "/$cgroup_name;" grouped.folded; then
		pass "of a cgroup, by cgroup"
	else
		fail "of a cgroup, by cgroup"
		head -n 3 grouped.folded err | why
	fi
	stop grouped
else
	skip "of a cgroup, by cgroup" "no cgroup for CPUs can be made here"
fi

start deep "$helpers/framed" 60 deep 200
running "${started[deep]}"
depth=$(jq .deepest look.json)
# main, deep() 201 times, burn, and what calls main: 204 or 205 frames.
if [ "$depth" -ge 204 ] && [ "$depth" -le 206 ]; then
	pass "205 frames are 205, above the kernel's limit of 127"
else
	fail "205 frames are 205, above the kernel's limit of 127: $depth"
fi
json "and none is broken or cut" '.broken_ratio == 0 and .truncated_ratio == 0'
stop deep

cat >loop.py <<-'END'
	print("ready", flush=True)
	n = 0
	while True:
	    n = sum(i * i for i in range(1000))
END
# The program itself: what stands in front of it in some homes is a script.
python=$(python3 -c 'import sys; print(sys.executable)')
start python timeout 60 "$python" loop.py
python_pid=$(cat "/proc/${started[python]}/task/${started[python]}/children")
python_pid=${python_pid%% *}
running "$python_pid"
if readelf -n "$python" >/dev/null 2>&1 && jq -e '.broken_ratio < 0.2' look.json >/dev/null; then
	skip "Python without frame pointers is said to be broken" "this Python keeps frame pointers"
else
	json "Python without frame pointers is said to be broken" '.broken_ratio > 0.5'
fi
kill -KILL "$python_pid"
stop python

start pair "$helpers/framed" 60 pair
"$BIN/offcpudiagnose" "${started[pair]}" --for 1s --wakers -o json >look.json 2>err
json "the function that waits is named, with its share" \
	'[.waits[] | select(.caller == "fetch_answer" and (.function | test("read$")))][0] | .ratio > 0.35 and .ratio < 0.6'
json "and who ends that" '[.waits[] | select(.caller == "fetch_answer" and (.function | test("read$")))][0].wakers[0] |
	.name == "framed" and (.function | test("write$")) and .caller == "send_answer"'
json "a clock ends a sleep" \
	'[.waits[] | select(.function // "" | test("clock_nanosleep$"))][0].wakers[0].name == "[interrupt]"'
json "the times add up: two threads wait for a second each" '.waited_seconds > 1.7 and .waited_seconds < 2.3'
"$BIN/offcpudiagnose" "${started[pair]}" --for 0.5s --wakers -o folded >pair.folded
if grep -q ';main;framed_pair;fetch_answer;[^;]*read;.*_\[k\];-;.*;[^;]*write_\[w\];send_answer_\[w\];.*framed_\[w\] ' pair.folded; then
	pass "folded: who waits, a border, who ended it"
else
	fail "folded: who waits, a border, who ended it"
	head -n 3 pair.folded | why
fi
stop pair

start asleep sh -c 'echo ready; exec sleep 60'
"$BIN/offcpudiagnose" "${started[asleep]}" --for 0.3s -o json >look.json 2>err
json "who sleeps all the time is seen" '.waits[0] | .name == "sleep" and .ratio == 1 and (.reason | test("nanosleep"))'
stop asleep

call "$BIN/cpudiagnose" 4194303
t "a process that is not there is told" test "$status" = 3 -a "$(cat err)" = "$BIN/cpudiagnose: there is no process '4194303'"
call "$BIN/offcpudiagnose"
t "offcpudiagnose wants to know of whom" test "$status" = 64
call "$BIN/cpudiagnose" --cgroup no/such
t "a cgroup that is not there is told" test "$status" = 3
call setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/cpudiagnose" --for 1s
t "an ordinary user is told which rights are missing" grep -q 'needs CAP_BPF and CAP_PERFMON' err
plan
