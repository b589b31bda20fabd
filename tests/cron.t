#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a run that nobody watches say what is new, once, to whom it should, and nothing else?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset TUESDAY_STATE_DIR XDG_STATE_HOME
export TUESDAY_HISTORY_INI=$work/history.ini TUESDAY_RUN_DIR=$work/rundir TZ=UTC LC_ALL=C
export TUESDAY_JOURNAL_SOCKET=$work/nowhere
: >history.ini

# machine ERRORS MINUTES: a disk with an evil name has had so many errors, so many minutes later.
evil=$'sd\e[31ma\nbad      trust  me'
machine() {
	local sample

	for sample in 0 1; do
		mkdir -p "rec/$sample/sys/block/$evil" "rec/$sample/proc/sys/kernel/random"
		echo "$1" >"rec/$sample/sys/block/$evil/errors"
		echo boot-1 >"rec/$sample/proc/sys/kernel/random/boot_id"
		echo "$(((100000 + $2 * 60 + sample * 10) * 1000000000))" >"rec/$sample/time"
	done
	printf 'host we\e[1mb7\nkernel 6.1.0\ncpus 4\ntime %s\n' $((1795200000 + $2 * 60 + ${3:-0})) >rec/environment
}

mkdir checks
cat >checks/errors.ini <<-'EOF'
	[check]
	question = Does it err?
	area = disk
	[metric new_count]
	value = delta(/sys/block/*/errors)
	class = error
	bad = > 0
	source = a book
	say = {instance} had {value} errors
	why = because
	however = nothing
EOF

run() {
	"$BIN/tuesday" run errors -c checks --replay rec --cron --state state "$@" >out 2>err </dev/null
	status=$?
}
silent() {
	[ ! -s out ] && [ ! -s err ] && [ "$status" = 0 ]
}
calm() {
	! LC_ALL=C grep -q "[^[:print:][:space:]]" "$1" && ! grep -q '^bad' "$1"
}

machine 0 0
run
t "a first run is silent" silent
machine 0 5
run
t "so is one with nothing new" silent
machine 3 10
run
t "what happened in between is told" grep -Eq '^  bad +errors .*since .*: .* had 3 errors' out
is "$status" 0 "with exit status 0, as cron wants it"
t "a name that would forge lines and colours is shown as it is" calm out
machine 3 15
run
t "it is told once" silent
machine 5 20
run
t "what flickers is told once" silent
for minute in 25 30; do
	machine 5 "$minute"
	run
done
t "it is not called off at once" silent
machine 5 35
run
t "but when it has been good for three runs" grep -Eq '^  good +errors +again, after 25 min' out

# Reminders, and the day's digest.
machine 6 40
run
for minute in 45 345 645 760; do
	machine "$minute" "$minute"
	run
	[ "$minute" = 760 ] || silent || echo "# at $minute: $(cat out)"
done
t "what is bad is told again after 12 hours" grep -Eq '^  bad +errors +(digest: )?still, for 12' out
printf '[cron]\nremind = 1h\ndigest = no\n' >history.ini
machine 900 830
run
t "or after as long as the settings say" grep -Eq '^  bad +errors +still, for 13' out
echo 'remind = soon' >>history.ini
machine 901 835
run
t "a setting that is wrong is said" grep -q 'history.ini' err
: >history.ini

# The clock is set back by an hour: no run is lost, nothing is told twice.
for minute in 840 845 850 855 860; do
	machine 901 "$minute" -3600
	run
done
machine 902 865 -3600
run
t "after the clock was set back an event is told" grep -Eq '^  bad +errors' out
machine 902 870 -3600
run
t "once" silent

# What was not said is said by the next run.
for minute in 875 880 885; do
	machine 902 "$minute" -3600
	run
done
machine 903 890 -3600
"$BIN/tuesday" run errors -c checks --replay rec --cron --state state >/dev/full 2>err
is "$?" 3 "a mail that cannot be written is an error"
machine 903 895 -3600
run
t "and what it would have said is said by the next run" grep -Eq '^  bad +errors' out

# Files and other formats.
for minute in 900 905 910; do
	machine 903 "$minute" -3600
	run --to report.json -o json
done
machine 903 915 -3600
run --to report.json -o json
t "a file is written each time, in silence" silent
is "$(jq -r '.checks[0].verdict, .since.seconds' report.json | paste -sd ' ')" "good 300" \
	"with how long since the run before"
machine 904 920 -3600
run --to report.json -o json
t "and what is new is printed beside it" grep -Eq '^  bad +errors' out
t "without a heading for what is in the file" [ "$(grep -c 'machine now' out)" = 0 ]
is "$(jq -r '.checks[0] | .only_since, .since[0].name' report.json | paste -sd ' ')" "true new_count" \
	"the file says that it was since the last run"

# Consumers.
machine 905 925 -3600
"$BIN/tuesday" run errors -c checks --replay rec --state state >out 2>err
t "a person's run takes nothing from cron" grep -q 'good' out
run --since-last other
t "a consumer that is new has seen nothing yet" silent
machine 905 930 -3600
run
t "and cron still knows where it was" test -s state/since-cron+errors -a -s state/since-other
call "$BIN/tuesday" run errors --since-last ../x
is "$status" 64 "a consumer's name is no path"
call "$BIN/tuesday" run errors --cron --replay rec
t "a replay does not write where this machine's state is" grep -q -- '--state' err

# Never two at once.
mkfifo hold
"$BIN/tuesday" run errors -c checks --cron --state state --windows 1 --window 60 >/dev/null 2>&1 &
pid=$!
for _ in {1..200}; do
	grep -q " $pid " /proc/locks && break
	sleep 0.05
done
call "$BIN/tuesday" run errors -c checks --cron --state state --windows 1 --window 0.1
t "a second run at once says so and is not run" grep -q 'such a run is under way already' err
is "$status" 0 "with exit status 0"
kill -TERM $pid
wait $pid 2>/dev/null
call "$BIN/tuesday" run errors -c checks --cron --state state --windows 1 --window 0.1
t "the next one finds the lock free" test ! -s err
t "  and that one was told to end is no news" eval '! grep -F "(run)" out'
call "$BIN/tuesday" run errors -c checks --cron --state state --windows 1 --window 0.1 --splay=0.3
is "$status" 0 "a splay is waited"

# A service that is stopped in its first milliseconds, too, has not failed.
"$BIN/tuesday" run --cron --state early >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 200000; i++)); do
	[ ! -e early/lock-cron ] || break
done
kill -TERM $pid
wait $pid
is "$?" 0 "a run that is told to stop as soon as it has its lock ends with exit status 0"

# One that its deadline ends has looked; one that somebody ends, or that had no window, leaves all to the next.
# cut_short MACHINE WINDOW DEADLINE SECONDS...
cut_short() {
	timeout "${@:4}" "$BIN/tuesday" run errors -c checks --root "rec/$1" --cron --state cut --windows 99 --window "$2" \
		--deadline "$3" --to cut.json -o json >out 2>err </dev/null
	status=$?
}
machine 0 0
cut_short 0 0.3 2s 20
t "a run that its deadline ends is silent where all is good" silent
machine 7 0
cut_short 0 0.3 60s --signal=TERM 0.5
cut_short 0 60 1s 20
is "$(jq -r '[.windows, .checks[0].verdict, .checks[0].summary] | join(" ")' cut.json)" \
	"0 unknown the deadline came before half of the first window was over: give it a longer --deadline or a shorter --window" \
	"one that had less than half a window does not know"
cut_short 0 0.3 2s 20
t "the next one tells what was new to both, and to one that was ended" \
	grep -Eq '^  bad +errors .*since .*: .* had 7 errors' out
is "$status,$(jq -r '[.interrupted, .checks[0].verdict] | join(" ")' cut.json)" "0,true bad" "and writes its file"
is "$("$BIN/tuesday" history --state cut --json | jq .runs)" 3 "and is in the history"
cut_short 0 0.3 2s 20
t "and it is told once" silent
cut_short 0 60 1s 20
cut_short 0 60 1s 20
t "that it does not know is told" grep -Eq '^  unknown +errors .*the deadline came before half' out
call "$BIN/tuesday" run errors -c checks --root rec/0 --windows 2 --window 60 --deadline 1s --record cut.rec
call "$BIN/tuesday" run errors -c checks --replay cut.rec -o json
is "$(jq -r '.checks[0].verdict' out)" unknown "a replay of it does not know either"
call "$BIN/tuesday" run errors -c checks --root rec/0 --windows 9 --window 1.6 --deadline 2s -o json
is "$(jq .windows out)" 1 "less than half of a later window is left out"

# A child that is stuck, and outlives its run: a stopped one that its killed parent cannot end. (One in
# the kernel, on a dead file system, outlives a run that ends well.)
cat >stuck <<-EOF
	#!/bin/sh
	[ -e $work/pid ] && exit 0
	echo \$PPID >$work/pid
	kill -STOP \$PPID
	exec sleep 60
EOF
chmod 755 stuck
printf '[check]\nquestion = Is it so?\narea = test\nexec = %s\n' "$work/stuck" >checks/stuck.ini
cron_stuck=("$BIN/tuesday" run stuck -c checks --cron --state state --windows 1 --window 0.1)
# In our group of processes: in one that is left without anybody who was stopped would go on.
"${cron_stuck[@]}" >/dev/null 2>&1 &
pid=$!
for _ in {1..200}; do
	[ -s pid ] && grep -q '^State:.T' "/proc/$(cat pid)/status" && break
	sleep 0.05
done
kill -KILL $pid
wait $pid 2>/dev/null
t "a run was ended and its child was not" kill -0 "$(cat pid)"
call "${cron_stuck[@]}"
t "a child that is stuck keeps no later run from looking" [ "$status$(wc -c <err)" = 00 ]
t "  which tells that the run before was killed" grep -Eq '^  unknown +\(run\) .*the run that began at .* has no end' out
call "${cron_stuck[@]}"
t "  and tells it once" silent
kill -KILL "$(cat pid)"

# Check files that are refused.
mkdir few
cp checks/errors.ini few/one.ini
cp checks/errors.ini few/two.ini
all() {
	machine 0 "$1"
	call "$BIN/tuesday" run -c few --replay rec --cron --state few.state
	grep '^  .*(file ' out >files
}
break_file() {
	echo 'questoin = Really?' >>"few/$1.ini"
}
told_of() {
	is "$(sed -E 's/^ *([a-z]+) +\(file few.([a-z]+)\.ini\) +([^:]*:?).*/\1 \2 \3/' files | paste -sd ';')" "$1" "$2"
}
all 0
told_of "" "of files that are right nothing is told"
break_file one
all 5
told_of "unknown one (new) few/one.ini:" "a file that is refused is told of, with why"
all 10
told_of "" "  once"
break_file two
all 15
told_of "unknown two (new) few/two.ini:" "another one is, too"
is "$("$BIN/tuesday" run -c few --replay rec -o prometheus 2>/dev/null | grep -c '^tuesday_refused_check_files 2$')" 1 \
	"and Prometheus can count them"
all 900
told_of "unknown one digest:;unknown two digest:" "the digest has both"
sed -i '/questoin/d' few/one.ini
for minute in 905 910 915; do
	all $minute
done
told_of "good one again, after 15.2 h of unknown:" "one that was put right is called off"
touch $'few/Upper\e[31m\nbad.ini'
all 920
t "of one whose name is none, too, and the name forges nothing" \
	sh -c 'grep -q "(file few/Upper" files && grep -c . files | grep -qx 1 && ! LC_ALL=C grep -q "[^[:print:]]" files'

# Mutes.
rm -rf state
machine 0 0
run
call "$BIN/tuesday" mute errors -c checks --for 2h --state state
is "$status" 64 "a mute needs a reason"
call "$BIN/tuesday" mute nonesuch --for 2h --reason x --state state
t "and a check that there is" grep -q "no check 'nonesuch'" err
call "$BIN/tuesday" mute errors -c checks --for 2h --state state --reason $'new \e[31mcable\nbad'
t "a check is muted" grep -q '^errors is muted until' out
call "$BIN/tuesday" mutes --state state
t "and listed with its reason" grep -q 'cable' out
t "which forges nothing" calm out
"$BIN/tuesday" run errors -c checks --state state --windows 1 --window 0.1 >out 2>err
t "a report counts it" grep -q 'Muted: 1 check (errors)' out
is "$("$BIN/tuesday" run errors -c checks --state state --windows 1 --window 0.1 -o json | jq -r '.muted[0].check')" \
	errors "for programs too"
# The machine of the recording is of today, so that the mute holds there.
now=$((($(date +%s) - 1795200000) / 60))
machine 1 "$now"
run
machine 2 $((now + 5))
run
t "what is muted is not told" silent
call "$BIN/tuesday" unmute errors --state state
is "$status" 0 "it is unmuted"
call "$BIN/tuesday" unmute errors --state state
is "$status" 3 "once"
machine 3 $((now + 10))
run
t "and told again" grep -Eq '^  bad +errors' out

mapfile -t checks < <("$BIN/tuesday" list | sed 's/ .*//' | head -n 12)
pids=()
for check in "${checks[@]}"; do
	"$BIN/tuesday" mute "$check" --for 2h --state many --reason "at once" >/dev/null &
	pids+=($!)
done
wait "${pids[@]}"
is "$("$BIN/tuesday" mutes --state many | wc -l)" 12 "of twelve mutes at once each is kept"
pids=()
for check in "${checks[@]}"; do
	"$BIN/tuesday" unmute "$check" --state many &
	pids+=($!)
done
wait "${pids[@]}"
is "$("$BIN/tuesday" mutes --state many)" "Nothing is muted." "and each is taken back"

# systemd.
if command -v systemd-analyze >/dev/null; then
	mkdir units
	for unit in "$root"/systemd/tuesday.service "$root"/systemd/tuesday.timer; do
		sed "s|/usr/local/bin|$BIN|" "$unit" >"units/${unit##*/}"
	done
	SYSTEMD_UNIT_PATH=$work/units: systemd-analyze verify --man=no units/tuesday.service \
		units/tuesday.timer 2>&1 | grep tuesday >complaints
	is "$(cat complaints)" "" "systemd understands the units"
	systemd-analyze security --offline=yes --threshold=60 units/tuesday.service >/dev/null 2>&1
	is "$?" 0 "the sandbox leaves little open"
	mkdir -p catalog/usr/lib/systemd/catalog
	cp "$root"/systemd/tuesday.catalog catalog/usr/lib/systemd/catalog
	is "$(journalctl --root="$work/catalog" --update-catalog 2>&1)" "" "the catalog is one"
	is "$(grep -ohE '"[0-9a-f]{32}"' "$root"/lib/output/journald.h | tr -d '"' | sort)" \
		"$(sed -n 's/^-- //p' "$root"/systemd/tuesday.catalog | sort)" \
		"every entry that is written is in it"
else
	skip "systemd understands the units" "needs systemd-analyze"
fi

# calls_allowed: which of the system calls of a run the unit's filter would refuse.
refused_calls() {
	local set

	sed -n 's/^SystemCallFilter=//p' "$root"/systemd/tuesday.service | tr ' ' '\n' >names
	# Sets are made of sets.
	for _ in 1 2 3 4; do
		grep '^@' names | sort -u | while read -r set; do
			systemd-analyze syscall-filter "$set" | sed 's/^ *//'
		done >inner
		sort -u names inner >both && mv both names
	done
	comm -23 calls <(sort -u names)
}
if command -v systemd-analyze >/dev/null && command -v strace >/dev/null && [ "$(id -u)" = 0 ]; then
	strace -f -qq -o trace "$BIN/tuesday" run --cron --deep --windows 1 --window 0.2 --state state >/dev/null 2>&1
	sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' trace | sort -u >calls
	t "the sandbox was tried with a run that did something" grep -qx bpf calls
	is "$(refused_calls)" "" "and would refuse it no system call"
else
	skip "the sandbox would refuse a run no system call" "needs root, strace and systemd-analyze"
fi
# The mail: a first line that can be its subject, and what is new apart from what was told.
mkdir mail
cp checks/errors.ini mail/errors.ini
sed 's|/errors|/warnings|; s|had {value} errors|had {value} warnings|' checks/errors.ini >mail/warnings.ini
mail() { # ERRORS WARNINGS MINUTES
	machine "$1" "$3"
	echo "$2" | tee rec/0/sys/block/"$evil"/warnings >rec/1/sys/block/"$evil"/warnings
	call "$BIN/tuesday" run errors warnings -c mail --replay rec --cron --state mail.state
}
mail 0 0 0
mail 2 0 5
is "$(head -n 1 out)" 'Tuesday on we\x1b[1mb7: errors bad' "the first line is a subject: who, and what is new"
t "without a second verdict of what is good" [ "$(grep -c '^Still' out)" = 0 ]
mail 2 4 10
is "$(head -n 1 out)" 'Tuesday on we\x1b[1mb7: warnings bad; still errors bad' "it names what is old apart"
is "$(sed -n '/^New since/,/^$/p' out | grep -c '^  ')" 1 "under what is new there is nothing old"
t "which has one line" grep -Eq '^Still: errors bad since [0-9:]+\.$' out
t "what follows is said to be of now" grep -qx 'The machine now:' out

# Which of two is worse is not told by their names.
mkdir both
sed 's|delta(\(.*\))|\1|; s|^bad .*|maybe = > 0|' mail/errors.ini >both/aaa.ini
sed 's|delta(\(.*\))|\1|' mail/warnings.ini >both/zzz.ini
both() { # ERRORS WARNINGS MINUTES
	machine "$1" "$3"
	echo "$2" | tee rec/0/sys/block/"$evil"/warnings >rec/1/sys/block/"$evil"/warnings
	call "$BIN/tuesday" run aaa zzz -c both --replay rec --cron --state both.state
}
both 9 9 15
is "$(head -n 1 out)" 'Tuesday on we\x1b[1mb7: zzz bad, aaa maybe' "the subject begins with the worst"
is "$(sed -nE 's/^  [a-z]+ +(zzz|aaa) +(\([a-z ]+\)).*/\1 \2/p' out | paste -sd ';')" "zzz (new);aaa (new)" \
	"so does the list, and what had no run before was not good"
plan
