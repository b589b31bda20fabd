# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Cgroups with helpers in them, and a nudge of them, for tests. To be sourced after lib.sh.

cpu=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup [^ ]* .*\bcpu\b.*/\1/p' /proc/self/mountinfo | head -n 1)
blkio=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup [^ ]* .*\bblkio\b.*/\1/p' /proc/self/mountinfo | head -n 1)

# nudging: to be called behind begin. What experiments leave is this test's own.
nudging() {
	mkdir "$scratch/run"
	mount -t tmpfs -o size=1m,mode=755 none "$scratch/run" || bail "no tmpfs"
	undo umount -l "$scratch/run"
	export TUESDAY_RUN_DIR=$scratch/run/tuesday TUESDAY_STATE_DIR=$scratch/run/state
}

# group NAME HIERARCHY: a cgroup with the helper NAME in it.
group() {
	mkdir "$2/tuesday-nudge-$$-$1" || bail "no cgroup"
	undo rmdir "$2/tuesday-nudge-$$-$1"
	echo "${started[$1]}" >"$2/tuesday-nudge-$$-$1/cgroup.procs"
}
# counts NAME: a command that prints how much work NAME does within a part of a second.
counts() {
	echo "read -r a <$scratch/$1.count; sleep 0.15; read -r b <$scratch/$1.count; expr \$b - \$a"
}
# nudge OPTION...: its answer in $answer, its exit status in $status.
nudge() {
	answer=$("$BIN/tuesday" nudge --rounds 4 --phase 200ms -o json "$@" 2>"$scratch/nudge.err")
	status=$?
}
