#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a real Slurm, of one controller and one node, lose and get back its node by the script that is
# shipped, and does everybody else's word stay? The daemons see no network, no cgroup and no process but
# their own, a folder of the test as /etc/default, and Tuesday in /usr/local/bin. Slurm of Debian 12 gives
# the script SLURMD_NODENAME alone.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
needs ip nsenter unshare logger
for program in munged slurmctld slurmd scontrol sinfo sbatch squeue scancel; do
	command -v "$program" >/dev/null || skip_all "$program is not installed"
done
begin
cd "$scratch" || exit 1
net=tuesday-slurm-$$
export SLURM_CONF=$scratch/slurm.conf
remembered=$scratch/remembered

# Machines, of which the node is each in turn.
cp "$root/tests/replay/"{hardware,hardware-well,dm-refused}.tree .
cat >hardware-corrected.tree <<-TREE
	like hardware-well
	=== 0 /proc/uptime
	86400.00 86400.00
	=== 0 /sys/devices/system/edac/mc/mc0/dimm0/dimm_ce_count
	40
TREE
for name in *.tree; do
	"$root/tests/replay/grow" -v to="$scratch/${name%.tree}" "$name"
done
# machine CHECKS [SETTING]: from the script's next run on.
mkdir default
machine() {
	cat >settings <<-DEFAULT
		TUESDAY_CHECKS="$1"
		${2-}
		TUESDAY_STATE=$remembered
		export SLURM_CONF=$SLURM_CONF
		echo >>$scratch/begun
	DEFAULT
	mv settings default/tuesday-slurm
}
# shellcheck disable=SC2016
shipped='$TUESDAY_CHECKS'
good="$shipped --replay $scratch/hardware-well"
bad="$shipped --replay $scratch/hardware"
maybe="$shipped --replay $scratch/hardware-corrected"
unknown="dm --replay $scratch/dm-refused"
# premise STATUS CHECKS: the recordings are what they are taken for.
premise() {
	# shellcheck disable=SC2086
	call "$BIN/tuesday" run ${2/#"$shipped"/hardware pcie}
	is "$status" "$1" "the machine's exit status is $1: ${2##*/}"
}
premise 0 "$good"
premise 2 "$bad"
premise 1 "$maybe"
premise 3 "$unknown"

# Slurm wants an address that is not 127.0.0.1, and the name of this machine for its controller.
new_netns "$net"
ip -n "$net" addr add 10.231.7.1/32 dev lo
mkdir run state spool
(umask 077 && head -c 128 /dev/urandom >key)
cat >slurm.conf <<END
ClusterName=tuesday
SlurmctldHost=$(uname -n)(10.231.7.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/run/munge
CredType=cred/munge
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/run/slurmctld.pid
SlurmdPidFile=$scratch/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=1
SlurmdDebug=debug2
HealthCheckProgram=$root/dist/slurm/tuesday-slurm
HealthCheckInterval=1
HealthCheckNodeState=ANY
NodeName=n1 NodeHostname=localhost NodeAddr=10.231.7.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
echo CgroupPlugin=cgroup/v1 >cgroup.conf
in_net=(nsenter --net="/run/netns/$net")
# in_namespaces COMMAND...: they end with it, and the job's processes with them.
in_namespaces() {
	# shellcheck disable=SC2016
	exec "${in_net[@]}" unshare --mount --pid --fork --kill-child --mount-proc sh -c '
		mount -t tmpfs none /sys/fs/cgroup && mount --bind "$1" /usr/local/bin &&
			mount --bind "$2" /etc/default && shift 2 || exit
		echo ready
		exec "$@"' sh "$BIN" "$scratch/default" "$@"
}
# daemon COMMAND...: which ends with the test, however that ends. unshare does not heed SIGTERM.
daemon() {
	start "$1" in_namespaces "$@"
	undo_process "${started[$1]}" KILL
}
controller() {
	"${in_net[@]}" timeout 5 scontrol "$@"
}
# node KEY: of what the controller says.
node() {
	controller show node n1 | sed -n "s/^ *$1=//p"
}
# ends_well NAME: with what it has started.
ends_well() {
	kill -TERM "$(cat "/proc/${started[$1]}/task/${started[$1]}/children")"
	wait "${started[$1]}" 2>/dev/null
	unset "started[$1]"
}
state_is() {
	[[ "$(node State)" == $1\ * ]]
}
reason_is() {
	[ "$(node Reason | sed 's/ \[.*//')" = "$1" ]
}
# Each run of the script reads its settings, which leave a line in begun, and then ends.
begun() {
	[ "$(wc -l <begun)" -gt "$1" ]
}
ended() {
	[ "$(grep -c "health_check success" slurmd.err)" -gt "$1" ]
}
looks_again() {
	local before

	before=$(wc -l <begun)
	if ! until_true 15 begun "$before" || ! until_true 15 ended "$before"; then
		bail "the script is not run: $(tail -n 3 slurmd.err)"
	fi
}
in_service() {
	state_is IDLE && reason_is ""
}
drained_by_us() {
	state_is IDLE+DRAIN && reason_is "TUE: bad hardware pcie"
}

daemon munged --foreground --force --key-file="$scratch/key" --socket="$scratch/run/munge" \
	--pid-file="$scratch/run/munged.pid" --seed-file="$scratch/run/seed" --log-file="$scratch/munged.log"
until_true 10 test -S run/munge || bail "munged does not answer: $(tail -n 3 munged.err)"
daemon slurmctld -D -c
until_true 10 controller ping >/dev/null || bail "slurmctld does not answer: $(tail -n 3 slurmctld.err)"

# The script's first run is before the node is registered.
machine "$bad"
daemon slurmd -D -N n1
works "a node that is bad when slurmd starts is drained from the first" until_true 15 drained_by_us
is "$(grep -m 1 -oE 'health_check success|REQUEST_NODE_REGISTRATION_STATUS' slurmd.err)" "health_check success" \
	"by the run before it is registered"
machine "$good"
works "when it is good it is brought back" until_true 15 in_service

call "${in_net[@]}" sbatch --output=/dev/null --wrap "sleep 120"
t "its node is one that takes a job" [ "$status" = 0 ]
works "which runs" until_true 15 state_is ALLOCATED
looks_again
works "a node that is good stays" state_is ALLOCATED
machine "$maybe"
looks_again
machine "$unknown"
looks_again
machine "$good" TUESDAY=nothing
looks_again
works "what is maybe, unknown, or cannot be run, drains nothing" state_is ALLOCATED
machine "$bad"
works "a node that is bad is drained" until_true 15 state_is ALLOCATED+DRAIN
is "$("${in_net[@]}" squeue --noheader --format=%T)" RUNNING "and its job goes on"
"${in_net[@]}" scancel --user=root
works "until its end" until_true 15 drained_by_us
call "${in_net[@]}" sinfo -R --noheader
t "sinfo -R says why" grep -qE '^TUE: bad hardware p.* root .* n1$' out
machine "$unknown"
looks_again
works "what is unknown then brings nothing back" drained_by_us
machine "$good"
works "what is good does" until_true 15 in_service

# Others' words.
controller update NodeName=n1 State=DRAIN Reason="mine: TUE: no"
machine "$bad"
looks_again
works "where somebody else has drained it, the reason stays theirs" reason_is "mine: TUE: no"
machine "$good"
looks_again
works "and it stays drained when it is good" state_is IDLE+DRAIN
rm "$remembered"
looks_again
works "also if nobody remembers who it was" reason_is "mine: TUE: no"
controller update NodeName=n1 State=RESUME
machine "$bad"
works "it is drained when it is bad and theirs no more" until_true 15 drained_by_us
controller update NodeName=n1 State=RESUME
until_true 15 in_service
looks_again
works "who resumes it all the same is not overruled" in_service
machine "$good"
looks_again
machine "$bad"
works "until it is bad once more" until_true 15 drained_by_us
controller update NodeName=n1 Reason="to be mended"
machine "$good"
looks_again
works "and who gives another reason keeps it out" state_is IDLE+DRAIN
controller update NodeName=n1 State=RESUME

# A boot: what was remembered in /run is gone, and Slurm has the node down for it.
machine "$bad"
until_true 15 drained_by_us || bail "it is not drained"
ends_well slurmd
rm "$remembered" begun
# Slurm counts in seconds.
sleep 2
machine "$good"
daemon slurmd -D -b -N n1
works "after an unexpected boot Tuesday's drain is over" until_true 15 state_is DOWN
looks_again
works "and what remains is Slurm's, with a reason that is not Tuesday's" \
	reason_is "good again, as far as Tuesday sees"
controller update NodeName=n1 State=RESUME
works "to be resumed by a person" until_true 15 in_service
for name in slurmd slurmctld munged; do
	ends_well "$name"
done
plan
