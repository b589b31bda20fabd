#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does an experiment leave anything behind, whatever ends it and whatever the knob does meanwhile?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs ip losetup unshare mount
[ -x "$helpers/lib/change" ] || skip_all "needs $helpers/lib/change: make first"
begin
mkdir "$scratch/run"
mount -t tmpfs -o size=1m,mode=755 none "$scratch/run" || bail "no tmpfs"
undo umount -l "$scratch/run"
export TUESDAY_RUN_DIR=$scratch/run/tuesday TUESDAY_STATE_DIR=$scratch/run/state

# 1000 moments at random; SEED repeats them.
seed=${SEED:-$((RANDOM * 32768 + RANDOM + 1))}
"$helpers/lib/moments" "$seed" 1000 "$BIN/tuesday" /proc/sys/net/ipv4/tcp_keepalive_time 600 \
	/proc/sys/net/ipv4/ip_local_port_range "40000	60999" >"$scratch/moments" 2>&1 8>&-
is "$? $(grep -cE '^(not )?ok ' "$scratch/moments")" "0 8" "the moments came to their end"
grep '^#' "$scratch/moments"
while read -r line; do
	case $line in
	"ok "*) pass "${line#ok * - }" ;;
	"not ok "*) fail "${line#not ok * - }" ;;
	esac
done <"$scratch/moments"

ns=tuesday-test-$$
new_netns "$ns"
v4=/proc/sys/net/ipv4
knob=$v4/tcp_keepalive_time
range=$v4/ip_local_port_range
within() {
	ip netns exec "$ns" "$@"
}
# set_to PATH VALUE
set_to() {
	# shellcheck disable=SC2016
	within sh -c 'echo "$2" >"$1"' set "$@"
}
value() {
	within cat "$1" | tr '\t' ' '
}

# open_change ARG...: starts a tool, to be told by say. with=... is a command in front of it.
with=(ip netns exec "$ns")
open_change() {
	rm -f "$scratch/say"
	mkfifo "$scratch/say"
	"${with[@]}" "$helpers/lib/change" "$@" <"$scratch/say" >"$scratch/answers" \
		2>"$scratch/change.err" 8>&- &
	started[change]=$!
	exec 7>"$scratch/say"
	answers=1
	await
}
await() {
	for _ in {1..1500}; do
		answer=$(sed -n "${answers}p" "$scratch/answers")
		[ -z "$answer" ] || break
		sleep 0.02
	done
	answers=$((answers + 1))
}
# say WORD: the answer is in $answer.
say() {
	echo "$1" >&7
	await
}
close_change() {
	exec 7>&-
	wait "${started[change]}" 2>/dev/null
	unset "started[change]"
}
# kill_tool PID...: the tool, and whom else.
kill_tool() {
	kill -KILL "${started[change]}" "$@"
	wait "${started[change]}" 2>/dev/null
}
# until_free: keeper and guard of a tool that was killed have done their work.
until_free() {
	for _ in {1..500}; do
		[ ! -e "$TUESDAY_RUN_DIR/maintenance" ] && [ -z "$(entries)" ] && return
		sleep 0.02
	done
}
entries() {
	find "$TUESDAY_RUN_DIR" "$TUESDAY_STATE_DIR" -name '*.undo' 2>/dev/null
}
# says SENTENCE PATTERN: the last answer.
says() {
	# shellcheck disable=SC2254
	case $answer in
	$2) pass "$1" ;;
	*) fail "$1 (it says '$answer')" ;;
	esac
}
pids() {
	say pids
	read -r _ keeper guard <<<"$answer"
}
tuesday() {
	call "${with[@]}" "$BIN/tuesday" "$@"
}
cd "$scratch" || exit 1

# To and fro, and what others see meanwhile.
open_change --file "$knob" 600
say begin
says "an experiment begins" 0
is "$(value "$knob")" 7200 "  and nothing is changed by that"
t "  but it is in the journal" grep -q '^old 7200$' "$TUESDAY_RUN_DIR/undo/test.knob.undo"
say apply
is "$(value "$knob")" 600 "the knob is turned"
say values
says "  and both values are known" "7200 -> 600"
say revert
is "$(value "$knob")" 7200 "  and back"
say apply
with_other=$("${with[@]}" "$helpers/lib/change" --file "$range" "40000 60999" <<<begin 8>&-)
is "${with_other##*ready?}" "EBUSY test/knob is under way; there is one experiment at a time" "one experiment at a time"
tuesday undo
t "undo leaves an experiment that is under way alone" [ "$status" = 3 ]
tuesday --help
t "  and other commands say nothing about it" [ ! -s err ]
pids
t "keeper and guard wait on a clock that nobody can set" \
	sh -c "cat /proc/$keeper/fdinfo/* /proc/$guard/fdinfo/* | grep '^clockid:' | sort -u |
		grep -qx 'clockid: 7'"
spared=$(cat "/proc/$keeper/oom_score_adj" "/proc/$guard/oom_score_adj" | tr '\n' ' ')
if (echo -1000 >/proc/self/oom_score_adj) 2>/dev/null; then
	is "$spared" "-1000 -1000 " "  and are spared when memory runs out"
else
	skip "  and are spared when memory runs out" "that is not allowed here"
fi
say end
says "it ends" 0
is "$(value "$knob")$(entries)" 7200 "  and nothing is left"
close_change

# Somebody else's value.
open_change --file "$knob" 600
say begin
say apply
set_to "$knob" 1234
say verify
says "somebody else's value is seen" "ESTALE *1234*somebody else*"
say end
says "  and told" "ESTALE *"
is "$(value "$knob")$(entries)" 1234 "  and stays"
set_to "$knob" 7200
close_change

open_change --file "$knob" 600
say begin
say apply
say revert
set_to "$knob" 600
say apply
says "even one that is the same as ours, while ours is not in force" "ESTALE *"
say end
is "$(value "$knob")" 600 "  it stays"
set_to "$knob" 7200
close_change

# The knob does not take its old value back: the port range may not begin below the privileged ports.
refuse() {
	open_change --file "$range" "40000 60999"
	say begin
	say apply
	set_to "$v4/ip_unprivileged_port_start" 35000
}
refuse
say end
says "a knob that refuses its old value is told" "ENOTRECOVERABLE *does not take 32768 60999 back*"
close_change
tuesday --help
t "  the next command says it" grep -q "test.knob was cut off.*run 'tuesday undo'" err
tuesday undo
t "  undo says that it cannot" [ "$status" = 3 ]
t "    and why" grep -q 'does not take 32768' out
t "  the entry is kept" [ -n "$(entries)" ]
call "$BIN/tuesday" undo
t "  undo elsewhere touches nothing, and says where" grep -q 'in the network namespace net:\[' out
set_to "$v4/ip_unprivileged_port_start" 1024
tuesday undo --list
t "  --list shows what it was" grep -q 'ip_local_port_range: was 32768 60999, set to 40000 60999' out
tuesday undo
t "  when it can, undo mends it" [ "$status" = 0 ]
is "$(value "$range")$(entries)" "32768 60999" "  and nothing is left"
tuesday undo
t "  a second undo has nothing to do" grep -q 'left anything behind' out
refuse
pids
kill_tool
for _ in {1..200}; do
	[ -d "/proc/$keeper" ] || break
	sleep 0.02
done
t "refused while nobody listens: the entry is kept" [ -n "$(entries)" ]
set_to "$v4/ip_unprivileged_port_start" 1024
tuesday undo
is "$(value "$range")$(entries)" "32768 60999" "  and undo mends it"
close_change

# One that can never be put back: a cgroup that is threaded stays so.
with=()
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
group=$unified/tuesday-test-$$
if [ -n "$unified" ] && mkdir "$group" 2>/dev/null; then
	undo rmdir "$group"
	open_change --file "$group/cgroup.type" threaded
	say begin
	say apply
	say end
	says "a way that has no way back is told" "ENOTRECOVERABLE *does not take domain back*"
	close_change
	tuesday undo
	t "  and again" [ "$status" = 3 ]
	tuesday undo --forget test.knob
	t "  until a person says that it is well" [ "$status" = 0 ]
	is "$(entries)" "" "  and the entry is gone"
else
	skip "a way that has no way back is told" "no cgroup2 to make a cgroup in"
fi

# A disk: rounding, a choice in brackets, and what follows another knob.
head -c 1M /dev/zero >"$scratch/disk"
loop=$(losetup -f --show "$scratch/disk") || bail "no loop device"
undo losetup -d "$loop"
queue=/sys/block/${loop#/dev/}/queue
before=$(cat "$queue/read_ahead_kb" "$queue/scheduler" "$queue/nr_requests")
open_change --file "$queue/read_ahead_kb" 21
say begin
say apply
say values
says "a rounded value is taken for ours" "* -> 20"
say end
says "  and put back" 0
close_change
if grep -q mq-deadline "$queue/scheduler"; then
	open_change --file "$queue/scheduler" mq-deadline --keep "$queue/nr_requests"
	say begin
	say apply
	say values
	says "a choice is the word in brackets" "none -> mq-deadline"
	say end
	says "  and put back" 0
	close_change
else
	skip "a choice is the word in brackets" "no mq-deadline"
fi
is "$(cat "$queue/read_ahead_kb" "$queue/scheduler" "$queue/nr_requests")" "$before" \
	"the disk is as it was, and what follows its scheduler"
open_change --file "$queue/read_ahead_kb" "-5"
say begin
say apply
says "a value that the knob refuses is told" "ECANCELED *does not take -5*"
say end
says "  and nothing has to be put back" 0
close_change
open_change --file "$scratch/disk" 1
say begin
says "a file that is no knob is refused" "EINVAL *is no knob*"
close_change

# No room for the journal: nothing is changed.
with=(ip netns exec "$ns")
mkdir -p "$TUESDAY_RUN_DIR/undo"
head -c 2M /dev/zero >"$scratch/run/full" 2>/dev/null
open_change --file "$knob" 600
say begin
says "a full disk under the journal is told" "ENOSPC *nothing is changed*"
is "$(value "$knob")$(entries)" 7200 "  and nothing is changed"
rm "$scratch/run/full"
say begin
head -c 2M /dev/zero >"$scratch/run/full" 2>/dev/null
say apply
says "one that fills up later too" "ECANCELED *journal cannot be written: No space left*"
say end
says "  and ends well" 0
is "$(value "$knob")$(entries)" 7200 "  and nothing is changed"
rm "$scratch/run/full"
close_change

# The deadline, with a keeper that works and one that was stopped.
open_change --seconds 1 --file "$knob" 600
say begin
say apply
until_free
is "$(value "$knob")$(entries)" 7200 "at the deadline it is put back"
say verify
says "  and the tool hears of it" "ETIME *deadline of 1 s*"
say end
says "  it ends well" 0
close_change
open_change --seconds 1 --file "$knob" 600
say begin
say apply
pids
kill -STOP "$keeper"
until_free
is "$(value "$knob")$(entries)" 7200 "a keeper that was stopped is killed then, by the guard"
say end
says "  and the tool hears of it" 0*
close_change

# A reboot, as an entry with another boot id.
# left_behind ARG...: an experiment all of whose processes were killed.
left_behind() {
	open_change "$@"
	say begin
	say apply
	pids
	# So that none of them acts before all are gone.
	kill -STOP "$guard" "$keeper"
	kill_tool "$keeper" "$guard"
	close_change
	for _ in {1..200}; do
		[ -d "/proc/$keeper" ] || [ -d "/proc/$guard" ] || break
		sleep 0.02
	done
}
reboot_of() {
	sed -i 's/^boot .*/boot 00000000-0000-0000-0000-000000000000/' "$1"
}
left_behind --file "$knob" 600
reboot_of "$TUESDAY_RUN_DIR/undo/test.knob.undo"
tuesday undo
t "after a reboot a plain knob is the kernel's own" grep -q 'was restarted since' out
is "$(value "$knob")$(entries)" 600 "  and not touched"
set_to "$knob" 7200
left_behind --survives --commands "cat $knob" "echo 600 >$knob" "echo \$TUESDAY_SAVED >$knob"
t "what survives a reboot is noted where the note survives" \
	[ -e "$TUESDAY_STATE_DIR/undo/test.knob.undo" ]
reboot_of "$TUESDAY_STATE_DIR/undo/test.knob.undo"
tuesday list
t "  a command says it" grep -q "run 'tuesday undo'" err
tuesday undo
t "  undo mends it" [ "$status" = 0 ]
is "$(value "$knob")$(entries)" 7200 "  and nothing is left"

# Commands: what they print is data, and they end in time.
left_behind --commands "echo '\$(touch $scratch/oops) ;'; cat $knob" "echo 600 >$knob" \
	"echo \"\$TUESDAY_SAVED\" | tail -n 1 >$knob"
tuesday undo
is "$(value "$knob")$(entries)" 7200 "what was saved comes back by a command"
t "  and is not run" [ ! -e "$scratch/oops" ]
open_change --commands "cat $knob" "echo 600 >$knob; exit 3" "echo \$TUESDAY_SAVED >$knob"
say begin
say apply
says "a command that fails is told" "ECANCELED *exits with 3*"
say end
is "$(value "$knob")$(entries)" 7200 "  and what it did is put back"
close_change
open_change --commands "cat $knob" "echo 600 >$knob; sleep 55" "echo \$TUESDAY_SAVED >$knob"
say begin
echo apply >&7
sleep 0.3
kill_tool
until_free
is "$(value "$knob")$(entries)" 7200 "a command that hangs does not keep it from being put back"
close_change

# A journal that somebody else could have written is not believed.
left_behind --file "$knob" 600
chmod 666 "$TUESDAY_RUN_DIR/undo/test.knob.undo"
tuesday undo
t "an entry that others could write is not used" grep -q 'others than root' out
is "$(value "$knob")" 600 "  nothing is done"
chmod 600 "$TUESDAY_RUN_DIR/undo/test.knob.undo"
tuesday undo
is "$(value "$knob")$(entries)" 7200 "  mended, it is"

# A device that is held.
if [ -c /dev/cpu_dma_latency ]; then
	latency() {
		od -An -td4 /dev/cpu_dma_latency | tr -d ' '
	}
	usual=$(latency)
	open_change --held /dev/cpu_dma_latency 77
	say begin
	say apply
	is "$(latency)" 77 "a device is held"
	say revert
	is "$(latency)" "$usual" "  and let go"
	say apply
	pids
	kill_tool
	until_free
	is "$(latency)$(entries)" "$usual" "  also when the tool is killed"
	close_change
else
	skip "a device is held" "no /dev/cpu_dma_latency"
fi
plan
