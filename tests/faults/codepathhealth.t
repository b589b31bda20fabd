#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a call that was added found, and named, in two runs? Is twice the load with the same shares good? And what is
# said of a first run, and of a program in which everything was renamed?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs objcopy
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no types for the probe"
quiet
begin
cd "$scratch" || exit 1
mkdir -m 700 state

# look WHAT...: a look at a helper that works so. Two seconds of it have twice the samples of ten seconds
# at 49 Hz. It is asked again where others kept it off the CPUs.
look() {
	start path ./framed 60 path "$@"
	for _ in 1 2 3; do
		cp -a state before
		"$BIN/codepathhealth" --for 2s --hertz 999 --state "$scratch/state" -v --process framed >said 2>err
		status=$?
		grep -q 'framed' said && break
		rm -rf state
		mv before state
	done
	rm -rf before
	stop path
}

says() {
	if tr -s ' \n' ' ' <said | grep -qE "$2" && [ "$status" = "$1" ]; then
		pass "$3"
	else
		fail "$3"
		head -n 12 said err | cat -v | why
	fi
}

# accuses CHECK METRIC...: these metrics accuse the call.
accuses() {
	local metric

	for metric in "${@:2}"; do
		if grep -qE "^ +$metric\\[added in framed\\] .*(maybe|bad) " said; then
			pass "$1 accuses by $metric"
		else
			fail "$1 accuses by $metric"
			head -n 40 said | why
		fi
	done
}

cp "$helpers/framed" framed
look 0 50
says 3 'framed: this is the first look at it|framed: .*first look' "a first look learns, and is unknown with the reason"
look 0 50
says 0 'no function of framed takes more of its CPU time' "the same again is good"
look 0 95
says 0 'no function of framed takes more of its CPU time' "twice the load with the same shares is good"
look 25 50
says 1 'added in framed has grown by 2[0-9.]+ % of its program' "an added call of 25 % is maybe at first, and named"
accuses codepath grown_ratio cost_seconds
look 25 50
says 2 'added in framed has grown by 2[0-9.]+ % of its program' "in the second run it is bad"
look 0 50
says 0 'no function of framed takes more of its CPU time' "without the call it is good again"

for name in main framed_path work first second cool burn; do
	echo "$name new_$name"
done >names
objcopy --redefine-syms=names framed renamed && mv renamed framed
look 0 50
says 3 'framed: of what runs now earlier looks know [0-9]+ % by name, so they cannot be compared' \
	"after a deploy that renamed everything it says that it cannot compare"
look 0 50
says 0 'no function of framed takes more of its CPU time' "and learns what there is now"
"$BIN/codepathhealth" --for 1s --state "$scratch/state" --process nobody >said 2>err
is "$? $(head -n 1 said)" "0 good codepath: idle" "who has nothing to do is idle"
setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/codepathhealth" --for 1s >said 2>err
is "$? $(grep -c 'needs CAP_BPF and CAP_PERFMON' err)" "3 1" "an ordinary user is told which rights are missing"
plan
