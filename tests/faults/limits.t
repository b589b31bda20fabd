#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a limit named before something fails at it, and the one who is near to it?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq unshare ipcmk tail perl setpriv
begin

# 193 of 200 open files, for a while.
hoard() {
	exec -a hoard bash -c 'ulimit -Sn 200
		for fd in {10..199}; do eval "exec $fd</dev/null"; done
		echo hoard >/proc/$$/comm; echo ready; read -rt 600 <> <(:)'
}
# As many of a limit that is far.
collect() {
	exec bash -c 'ulimit -Sn 1000
		for fd in {10..199}; do eval "exec $fd</dev/null"; done
		echo ready; read -rt 600 <> <(:)'
}
start hoard hoard
examine --quick files
accuses files process_open_ratio
names files process hoard
stop hoard
# Twenty others have more open files than one that is near to its limit, and are far from theirs.
crowd() {
	exec bash -c 'ulimit -Sn 2000
		for fd in {10..309}; do eval "exec $fd</dev/null"; done
		for _ in {1..20}; do setpriv --pdeathsig KILL sleep 600 & done
		echo ready; wait'
}
start crowd crowd
start hoard hoard
examine --quick files maps
if [ -r /sys/kernel/btf/vmlinux ]; then
	names files process hoard
else
	skip "files names the one that is near to its limit in a crowd" "this kernel has no types for BPF"
fi
stop hoard
stop crowd

start collect collect
examine --quick files
not_bad files "when a program has many files open and may have more"
check_that "files is good" files '.verdict == "good"'
stop collect
recovers files

# The queues of an IPC namespace that may have five of them, and has.
cat >"$scratch/queues" <<'END'
echo 5 >/proc/sys/kernel/msgmni
for _ in 1 2 3 4 5; do ipcmk -Q >/dev/null; done
exec "$BIN/tuesday" run --quick ipc -o json
END
export BIN
unshare --ipc bash "$scratch/queues" >"$scratch/run.json"
accuses ipc msg_queues_ratio
if [ ! -d /dev/mqueue ]; then
	mkdir /dev/mqueue
	undo rmdir /dev/mqueue
fi
cat >"$scratch/posix" <<'END'
mount -t mqueue mqueue /dev/mqueue || exit 1
echo 5 >/proc/sys/fs/mqueue/queues_max
touch /dev/mqueue/{a,b,c,d,e}
exec "$BIN/tuesday" run --quick ipc -o json
END
unshare --ipc --mount bash "$scratch/posix" >"$scratch/run.json"
accuses ipc posix_queues_ratio
examine --quick ipc
check_that "ipc is good where the queues are not" ipc '.verdict == "good"'

# Nearly all the mappings that a process may have, and many of them.
max=$(cat /proc/sys/vm/max_map_count)
if [ "$max" -le 262144 ]; then
	start patchwork "$helpers/patchwork" $((max * 97 / 100)) 600
	examine --quick maps
	accuses maps process_mappings_ratio
	names maps process patchwork
	stop patchwork
	start patchwork "$helpers/patchwork" $((max * 45 / 100)) 600
	examine --quick maps
	check_that "maps is good when a process has many mappings and may have more" maps \
		'.verdict == "good"'
	stop patchwork
else
	skip "maps names the process that has too many mappings" "it may have $max of them"
fi

# Children that ended, of a program that does not know that it has them: a shell would take notice, so
# they wait until it is another program.
neglect() {
	exec -a neglect bash -c 'for _ in {1..120}; do read -rt 600 <>"$0" & done; echo ready
		exec sleep 600' "$scratch/gate"
}
is_sleep() {
	[ "$(cat "/proc/${started[neglect]}/comm")" = sleep ]
}
all_ended() {
	[ "$(cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z ${started[neglect]} ")" = 120 ]
}
mkfifo "$scratch/gate"
start neglect neglect
until_true 10 is_sleep
exec 9<>"$scratch/gate"
printf '\n%.0s' {1..120} >&9
until_true 20 all_ended
examine --quick pids
accuses pids zombies_count
names pids process sleep
stop neglect
exec 9>&-
recovers pids

# The inotify instances and watches of a user namespace that may have eight and nine of them. The namespace
# above has many more to give, and says so.
watchers() {
	# shellcheck disable=SC2016
	exec unshare --user --map-root-user bash -c 'echo 8 >/proc/sys/user/max_inotify_instances
		echo 9 >/proc/sys/user/max_inotify_watches
		for _ in {1..8}; do tail --pid $$ -f "$0" & done
		until [ "$(ls -l $(printf "/proc/%s/fd " $(jobs -p)) | grep -c anon_inode:inotify)" = 8 ]; do
			sleep 0.05
		done
		echo ready; wait' \
		"$scratch/queues"
}
start watchers watchers
examine --quick inotify
accuses inotify user_instances_ratio
accuses inotify user_watches_ratio
names inotify process tail
check_that "the namespace is said to be one" inotify 'any(.metrics[]; .verdict == "bad" and
	(.instance | contains("@")))'
check_that "nobody else is accused" inotify '[.metrics[] | select(.verdict == "bad")] | length == 1'
stop watchers
recovers inotify

# Forks beyond a cgroup's limit.
if root=$(v1_root pids || v2_root pids); then
	new_cgroup "$root"
	echo 3 >"$cgroup/pids.max"
	# No shell: bash waits for seconds after a fork that was refused, and the run lasts one.
	fork_often() {
		echo ready
		exec perl -e '$SIG{CHLD} = "IGNORE";
			for (1 .. 6000) {
				for (1 .. 4) {
					my $child = fork;
					if (defined $child && !$child) { select undef, undef, undef, 0.3; exit }
				}
				select undef, undef, undef, 0.1;
			}'
	}
	start forks in_cgroup "$cgroup" bash -c "$(declare -f fork_often); fork_often"
	examine --quick pids
	accuses pids cgroup_refused_forks_count
	names pids cgroup "$cgroup_name"
	stop forks
	recovers pids
else
	skip "pids names the cgroup whose forks are refused" "no cgroup controller for pids"
fi
plan
