#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is the history whole whatever happens to the run that writes it: two at once, kill -9, a full disk,
# a damaged file, somebody else's file? KILLS says how often a run is killed.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
kills=${KILLS:-200}
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
mounted=
end() {
	[ -z "$mounted" ] || umount "$work/full"
	rm -rf "$work"
}
trap end EXIT
cd "$work" || exit 1
unset TUESDAY_STATE_DIR XDG_STATE_HOME
export TUESDAY_HISTORY_INI=$work/history.ini TZ=UTC LC_ALL=C
: >history.ini

# A machine whose counter says what we want. machine KILLS [HOURS]
machine() {
	local sample

	for sample in 0 1; do
		mkdir -p "rec/$sample/proc/sys/kernel/random"
		printf 'oom_kill %s\nnr_free_pages %s\n' "$1" "$RANDOM" >"rec/$sample/proc/vmstat"
		echo boot-1 >"rec/$sample/proc/sys/kernel/random/boot_id"
		echo "$(((100000 + ${2:-0} * 3600 + sample * 10) * 1000000000))" >"rec/$sample/time"
	done
	printf 'host web7\nkernel 6.1.0\ncpus 4\ntime %s\nid %032x\n' $((1795200000 + ${2:-0} * 3600)) \
		$((${2:-0} + 1)) >rec/environment
}

mkdir checks
for name in killed free; do
	cat >"checks/$name.ini" <<-EOF
		[check]
		question = Is it?
		area = memory
		[metric it_count]
		value = $([ $name = killed ] && echo 'delta(vmstat:oom_kill)' || echo 'vmstat:nr_free_pages')
		class = $([ $name = killed ] && echo error || echo limit)
		bad = > $([ $name = killed ] && echo 0 || echo 1000000)
		source = a book
		why = because
		however = nothing
	EOF
done

# run: one more run of this machine, as from cron.
run() {
	"$BIN/tuesday" run killed free -c checks --replay rec --cron --state state
}
# As call, for functions too.
ran() {
	"$@" >out 2>err </dev/null
	status=$?
}
sql() {
	sqlite3 state/history.db "$1"
}
whole() {
	is "$(sql 'PRAGMA integrity_check')" ok "$1"
}
history() {
	"$BIN/tuesday" history --state state "$@"
}

command -v sqlite3 >/dev/null || { echo "1..0 # SKIP needs the program sqlite3"; exit 0; }

ran history
t "without a history it says how to begin one" grep -q "'tuesday run --cron' begins one" err
is "$status" 3 "and fails"
machine 0
ran run
t "a first run is silent" test ! -s out -a ! -s err
is "$(sql 'SELECT count(*) FROM runs')" 1 "it begins a history"
machine 0 1
"$BIN/tuesday" run killed free -c checks --replay rec --state state --no-history >/dev/null
is "$(sql 'SELECT count(*) FROM runs')" 1 "--no-history adds nothing"
"$BIN/tuesday" run killed -c checks --replay rec --state state -o json >out
is "$(jq -r .id out)" "$(sql 'SELECT uuid FROM runs WHERE id = 2')" "a run is known by its report's id"
machine 2 2
ran run
t "an event between two runs is told" grep -q '^  bad      killed .*since ' out
is "$(sql 'SELECT verdict FROM lights WHERE run = 3 ORDER BY verdict DESC LIMIT 1')" 2 \
	"the light is in the history"
is "$(sql 'SELECT group_concat(run) FROM reports')" 1,2,3 \
	"the reports of changes are kept, and the first of other checks"
machine 2 3
ran run
t "and told once" test ! -s out

# Reading.
call "$BIN/tuesday" history --state state --since 2026-11-01
t "the lights are drawn" grep -Eq '^  good     killed +.*[#].* bad 25 %' out
call "$BIN/tuesday" history killed --state state --since 2026-11-01 --json
is "$(jq '.schema == "tuesday-history/1" and .runs == 4 and
	([.checks[0].changes[].verdict] == ["good", "bad", "good"]) and
	([.metrics[] | select(.name == "it_count") | .values | length] == [4])' out)" true "for programs too"
call "$BIN/tuesday" history nonesuch --state state
t "a check that never ran is named" grep -q "no run of check 'nonesuch'" err
call "$BIN/tuesday" compare 1 3 --state state
t "two runs are compared" grep -q 'killed .*good -> bad' out
call "$BIN/tuesday" compare 1 99 --state state
t "a run that is not there is named" grep -q "there is no run '99'" err
call "$BIN/tuesday" compare --state state
is "$status" 64 "nothing to compare is misuse"
history --since 2026-11-01 | head -n 1 >/dev/null
is "${PIPESTATUS[0]}" 0 "a reader may stop"

# Two at once, ten times.
before=$(sql 'SELECT count(*) FROM runs')
for i in {1..10}; do
	for who in a b; do
		"$BIN/tuesday" run killed free -c checks --replay rec --state state \
			--since-last "$who" >/dev/null 2>>errors &
	done
	wait
done
is "$(sql 'SELECT count(*) FROM runs')" $((before + 20)) "two runs at once are both kept"
is "$(cat errors)" "" "and neither complains"
whole "the file is whole"

: >errors
for i in {1..30}; do
	"$BIN/tuesday" run killed -c checks --replay rec --state state --since-last same -o json \
		--no-history >"same.$i" 2>>errors &
	[ $((i % 6)) != 0 ] || wait
done
wait
is "$(cat same.* | jq -r '.since.context // empty' | grep -c damaged)$(cat errors)" 0 \
	"nor do those that keep the same counters"

# Killed at any moment, between its beginning and a little after its end: how long that is, is measured,
# and again with each run, since others may want the CPU.
: >errors
killed='' journals=0
machine 3 4
began=${EPOCHREALTIME/./}
run >told 2>errors
span=$((${EPOCHREALTIME/./} - began))
for ((i = 1; i <= kills; i++)); do
	machine $((3 + i)) $((4 + i))
	: >marker
	(exec "$BIN/tuesday" run killed free -c checks --replay rec --cron --state state) \
		>>told 2>>errors &
	pid=$!
	after=$((RANDOM * span / 32768))
	sleep "$((after / 1000000)).$(printf %06d $((after % 1000000)))"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	if [ $? = 137 ]; then
		killed="$killed${killed:+,}'$(printf %032x $((5 + i)))'"
		# One that an earlier run left may still be there.
		[ ! state/history.db-journal -nt marker ] || journals=$((journals + 1))
		span=$((span + span / 50))
	else
		span=$((span - span / 20))
	fi
done
machine $((5 + kills)) $((6 + kills))
ran run
t "after $kills runs that were killed the next one runs" test "$status" = 0 -a ! -s err
grep -v Killed errors >complaints
is "$(cat complaints)" "" "none of them found anything damaged"
whole "the file is whole after that"
is "$(grep -c 'since.*damaged' out)" 0 "and so is what the last run left"
cat out >>told
t "what happened meanwhile is told" grep -q '^  bad      killed' told
is "$(sql 'SELECT count(*) FROM runs r WHERE NOT EXISTS (SELECT 1 FROM lights WHERE run = r.id)')" 0 \
	"no run is there by half"
# Nothing of that says anything unless runs were killed at all stages.
total=$(tr , '\n' <<<"$killed" | grep -c .)
kept=$(sql "SELECT count(*) FROM runs WHERE uuid IN ($killed)")
t "$((total - kept - journals)) were killed before they wrote" test "$((total - kept - journals))" -gt 0
t "$journals while they wrote, $kept when it was kept" test $((journals + kept)) -gt 0

# A damaged file, of several kinds.
kinds=0
for kind in head middle empty; do
	case $kind in
	head) printf 'nonsense that is no database' | dd of=state/history.db conv=notrunc status=none ;;
	middle) dd if=/dev/urandom of=state/history.db bs=4096 seek=1 count=6 conv=notrunc status=none ;;
	empty) : >state/history.db ;;
	esac
	machine 100 $((10 + kills + kinds))
	run >out 2>err
	run >out 2>>err
	[ "$(sql 'PRAGMA integrity_check')" = ok ] && [ "$(sql 'SELECT count(*) > 0 FROM runs')" = 1 ] &&
		{ [ $kind = empty ] || grep -q 'put aside as state/history.db.damaged' err; } && kinds=$((kinds + 1))
done
is "$kinds" 3 "a damaged file is put aside, and a new one begun"
works "nothing is lost of the damaged one" test -s state/history.db.damaged

# Files of others.
cp state/history.db mine
sql 'PRAGMA user_version = 99'
ran run
t "a newer history is left alone" grep -q 'a newer Tuesday wrote it' err
is "$status" 0 "and the run is none the worse"
is "$(sql 'PRAGMA user_version')" 99 "really"
rm -f state/history.db
sqlite3 state/history.db 'CREATE TABLE theirs(x)'
ran run
t "so is another program's database" grep -q 'another program' err
cp mine state/history.db
if [ "$(id -u)" = 0 ]; then
	chown 65534 state/history.db
	ran run
	t "a file of another user's is not believed" grep -Eq "not this user's own|Permission denied" err
	chown 0 state/history.db
	chmod o+w state
	ran run
	t "nor is a directory that others may write to" grep -q 'others may write' err
	chmod o-w state
	rm state/since-*
	ln -s /etc/passwd state/since-cron+killed+free
	chown -h 65534 state/since-cron+killed+free
	ran run
	t "nor is a link followed" test "$status" = 0 -a ! -L state/since-cron+killed+free
	mkdir open && cp -r rec checks open/ && chmod -R a+rX open "$work"
	mkdir open/home && chown 65534 open/home
	(cd open && HOME=$work/open/home setpriv --reuid=65534 --clear-groups \
		"$BIN/tuesday" run killed -c checks --windows 1 --window 0.1 --cron) >out 2>err
	status=$?
	t "an ordinary user has a history of their own" test "$status" = 0 -a \
		-s open/home/.local/state/tuesday/history.db
	cp state/history.db keep.db
	chmod 700 "$work/state"
	(setpriv --reuid=65534 --clear-groups "$BIN/tuesday" history --state "$work/state") >out 2>err
	status=$?
	t "and cannot read root's" grep -q 'Permission denied' err
else
	skip "a file of another user's is not believed" "needs root"
fi

# Threads come and go, on this machine too: their numbers are kept as one.
cat >checks/thread.ini <<-END
	[check]
	question = Does a thread run?
	area = cpu
	[metric thread_ratio]
	value = rate(task:*.cpu_ns) * 1ns
	class = harm
	bad = > 1000
	source = a book
	why = because
	however = nothing
END
for _ in 1 2 3; do
	"$BIN/tuesday" run thread -c checks --windows 1 --window 0.2 --no-trace --state state >/dev/null 2>&1
done
is "$(sql "SELECT count(*), sum(instance = '') FROM series WHERE metric = 'thread_ratio'")" '1|1' \
	"what comes and goes is one series, whichever was the worst"

# A full disk.
mkdir full
if mount -t tmpfs -o size=400k,mode=755 tmpfs full 2>/dev/null; then
	mounted=yes
	export TUESDAY_RUN_DIR=$work/rundir
	machine 0 200
	"$BIN/tuesday" run killed free -c checks --replay rec --cron --state full >out 2>err
	machine 1 201
	cat /dev/zero >full/filler 2>/dev/null
	call "$BIN/tuesday" run killed free -c checks --replay rec --cron --state full
	t "on a full disk the run says what it found" grep -q '^  bad      killed' out
	t "and that it is not kept" grep -q 'No space left on device' err
	is "$status" 0 "and ends as ever"
	rm full/filler
	is "$(sqlite3 full/history.db 'PRAGMA integrity_check')" ok "the history is whole"
	call "$BIN/tuesday" run killed free -c checks --replay rec --cron --state full
	t "what could not be kept is told again, and nothing is lost" grep -q '^  bad      killed' out
	cat /dev/zero >full/filler 2>/dev/null
	TUESDAY_STATE_DIR=$work/full call "$BIN/tuesday" run killed -c checks --windows 1 --window 0.1 \
		--since-last me
	t "the usual directory is stood in for by the run directory" test -s rundir/since-me
	rm full/filler
	TUESDAY_STATE_DIR=$work/full call "$BIN/tuesday" run killed -c checks --windows 1 --window 0.1 \
		--since-last me
	t "until there is room again" test -s full/since-me -a ! -e rundir/since-me
else
	skip "on a full disk the run says what it found" "cannot mount a tmpfs"
fi
plan
