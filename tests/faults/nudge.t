#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Has a suspect that matters a slope, and an innocent none? Is all put back, also where it is killed in the middle, and
# is nothing changed without a yes? The number is the work that a program counts; its quota matters, another's does not.
# Each is asked again where others kept the program off the CPU.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/nudge.sh
. "$(dirname "$0")/../nudge.sh"
needs jq script setsid perl pgrep
begin
nudging

# thrice SENTENCE FILTER OPTION...
thrice() {
	local sentence=$1 filter=$2 _

	shift 2
	for _ in 1 2 3; do
		nudge "$@"
		jq -e "$filter" <<<"$answer" >/dev/null && break
	done
	if jq -e "$filter" <<<"$answer" >/dev/null; then
		pass "$sentence"
	else
		fail "$sentence"
		{
			echo "status $status: $answer"
			cat "$scratch/nudge.err"
		} | why
	fi
}

if [ -n "$cpu" ]; then
	start matters "$helpers/counter" cpu "$scratch/matters.count" 120
	start innocent "$helpers/counter" cpu "$scratch/innocent.count" 120
	group matters "$cpu"
	group innocent "$cpu"
	matters=/tuesday-nudge-$$-matters
	innocent=/tuesday-nudge-$$-innocent
	# What others do here is nothing to who is watched, and a look has many periods of a quota.
	echo 100000 >"$cpu$matters/cpu.shares"
	echo 100 >"$cpu$innocent/cpu.shares"
	echo 20000 >"$cpu$matters/cpu.cfs_period_us"
	echo 20000 >"$cpu$innocent/cpu.cfs_period_us"
	number=$(counts matters)

	"$BIN/tuesday" nudge --quota "$matters" --metric "$number" --dry-run >"$scratch/dry"
	is "$? $(cat "$cpu$matters/cpu.cfs_quota_us") $(grep -c 'becomes [0-9]*, and is' "$scratch/dry")" "0 -1 1" \
		"a dry run says what would be changed, and changes nothing"
	setsid "$BIN/tuesday" nudge --quota "$matters" --metric "$number" </dev/null >"$scratch/asked" 2>&1
	is "$? $(cat "$cpu$matters/cpu.cfs_quota_us") $(grep -c -- '--yes' "$scratch/asked")" "64 -1 1" \
		"without a terminal nobody is asked, and nothing done"
	script -qec "$(printf '%q ' "$BIN/tuesday" nudge --quota "$matters" --metric "$number")" /dev/null \
		>"$scratch/asked" 2>&1 <<<"n"
	is "$? $(cat "$cpu$matters/cpu.cfs_quota_us") $(grep -c 'Run it?' "$scratch/asked")" "3 -1 1" \
		"on a terminal it asks first, and a no is a no"

	thrice "the quota of who does the work has a slope, and zero is not in its interval" '
		.answer == "matters" and .slope < 0 and .slope_high < 0' --quota "$matters" --metric "$number" --by 40% --yes
	is "$status $(cat "$cpu$matters/cpu.cfs_quota_us")" "2 -1" "that is told by the status, and its quota is as it was"
	thrice "that of who does not has none: zero is in it" '
		.answer != "matters" and .slope_low < 0 and .slope_high > 0' --quota "$innocent" --metric "$number" --by 40% --yes
	is "$(cat "$cpu$innocent/cpu.cfs_quota_us")" "-1" "and its quota is as it was"

	"$BIN/tuesday" nudge --quota "$matters" --metric "$number" --by 40% --yes >/dev/null 2>&1 6>&- 8>&- &
	nudger=$!
	undo_process "$nudger" KILL
	harmed() {
		[ "$(cat "$cpu$matters/cpu.cfs_quota_us")" != -1 ]
	}
	as_before() {
		[ "$(cat "$cpu$matters/cpu.cfs_quota_us")" = -1 ] && [ -z "$(ls "$scratch/run/tuesday/undo" 2>/dev/null)" ]
	}
	until_true 10 harmed || bail "the quota was never changed"
	kill -KILL "$nudger"
	wait "$nudger" 2>/dev/null
	until_true 10 as_before
	is "$? $(cat "$cpu$matters/cpu.cfs_quota_us")" "0 -1" "killed in the middle, all is put back"
	stop matters
	stop innocent

	# The number is the time of a request, to a server that computes for each, and beside them all the time.
	own_ports
	# shellcheck disable=SC2016
	start web perl -e '
		use IO::Socket::INET;
		my $listener = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1", LocalPort => $ARGV[0], ReuseAddr => 1)
			or die "no port";
		$| = 1;
		alarm 120;
		my $parent = $$;
		if (!fork) { 1 while kill 0, $parent }
		print "ready\n";
		while (my $client = $listener->accept) {
			sysread $client, my $request, 4096;
			my $until = (times)[0] + 0.02;
			1 while (times)[0] < $until;
			syswrite $client, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n";
			close $client;
		}' "${own}1"
	group web "$cpu"
	for child in $(pgrep -P "${started[web]}"); do
		echo "$child" >"$cpu/tuesday-nudge-$$-web/cgroup.procs"
	done
	echo 100000 >"$cpu/tuesday-nudge-$$-web/cpu.shares"
	echo 20000 >"$cpu/tuesday-nudge-$$-web/cpu.cfs_period_us"
	thrice "the time of a request to who is held back has a slope, upwards" '
		.answer == "matters" and .slope_low > 0' --quota "/tuesday-nudge-$$-web" --url "http://127.0.0.1:${own}1/" --by 40% --yes
	is "$status $(cat "$cpu/tuesday-nudge-$$-web/cpu.cfs_quota_us")" "2 -1" "and its quota is as it was"
	stop web
else
	skip "quotas" "there is no cgroup v1 with quotas here"
fi

"$BIN/tuesday" nudge --quota / --metric 'echo 1' --yes >"$scratch/root" 2>&1
is "$? $(grep -c 'no limit for it' "$scratch/root")" "3 1" "the cgroup of everything is refused, with the reason"

# A hierarchy without the controller, as a container is given it.
unshare -m sh -c "umount -l $(printf %q "${blkio:-/none}") && exec $(printf %q "$BIN/tuesday") nudge --io /x --metric 'echo 1' --yes" \
	>"$scratch/none" 2>&1
code=$?
if [ -n "$blkio" ]; then
	is "$code $(grep -cE 'no controller|no such cgroup|no cgroup file system' "$scratch/none")" "3 1" \
		"a kernel without the controller is told so"
else
	skip "a kernel without the controller is told so" "there is no cgroup v1 with disks here"
fi

plan
