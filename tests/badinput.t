#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does it do with files, machines, recordings and disks that are not as they should be?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
export ASAN_OPTIONS=exitcode=99
unset TUESDAY_WITHOUT
if ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs the program jq"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-badinput.XXXXXX)
full=$work/full
clean() {
	if mountpoint -q "$full"; then
		umount "$full"
	fi
	rm -rf "$work"
}
trap clean EXIT
chmod 755 "$work"
cd "$work" || exit 1
tuesday=$BIN/tuesday
# Hostile files are read by the program that notices every wrong access, where it was built.
reader=$BUILD/asan/bin/tuesday
[ -x "$reader" ] || reader=$tuesday
for name in listen healthy; do
	mkdir "$name"
	tar -xzf "$root/tests/replay/$name.tar.gz" -C "$name" --no-same-owner
done
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

says() {
	grep -Eq -- "$1" err
}

has() {
	jq -e "$1" out >/dev/null
}

# refused STATUS PATTERN: it ended with one of these and said why.
refused() {
	[[ $1 =~ $status ]] && says "$2"
}

# A whole report whose verdict is the exit status, and no word of a sanitizer.
is_report() {
	[ "$(wc -l <out)" = 1 ] && has '.schema == "tuesday/1" and all(..; . != null and . != "")' &&
		[ "$status" = "$(jq '{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict]' out)" ] &&
		! says 'Sanitizer|runtime error'
}

# Check files.

cat >good.ini <<'END'
[check]
question = Is it?
area = cpu
needs = /proc/vmstat
next = true

[metric x_ratio]
value = delta(vmstat:pgfault) / delta(vmstat:pgalloc_normal)
class = harm
maybe = > 5%
why = It may be.
source = judgement
however = It need not be.
seen = never
END
call "$tuesday" lint good.ini
t "lint has nothing to say about a good file" [ "$status$(wc -c <err)" = 00 ]

sed 's/_ratio/_count/; s/^value.*/value = delta(vmstat:pgfault)\nsay = {value} process(es) less of {value} is here/' good.ini >plural.ini
call "$tuesday" lint plural.ini
t "lint: one and more" [ "$status$(wc -c <err)" = 00 ]

# A name, the edit that makes the good file wrong, and what must be said, FILE:LINE in front.
while IFS=$'\t' read -r name edit wanted; do
	sed -E "$edit" good.ini >"$name.ini"
	call "$tuesday" lint "$name.ini"
	t "lint: $name" refused 2 "^$name\.ini:$wanted"
done <<'END'
key	s/^maybe/mabe/	10: .*'mabe'; did you mean 'maybe'
check-key	s/^area/aera/	3: .*did you mean 'area'
section	s/^.metric /[metrc /	7: .*did you mean .metric
source	s/vmstat:pgf/vmsat:pgf/	8: .*'vmsat'; did you mean 'vmstat'
function	s/delta.vmstat:pgf/detla(vmstat:pgf/	8: .*'detla'; did you mean 'delta'
class	s/harm/harn/	9: .*'harn'; did you mean 'harm'
tracer	$a [trace t]\ntracer = runqq	16: .*did you mean 'runq'
unit	s/x_ratio/x_ratioo/	7: .*_ratio _seconds
name	s/x_ratio/X_ratio/	7: .*a-z
parenthesis	s/normal.$/normal/	8: .*missing
field	s/vmstat:pgfault/vmstat:/	8: .*field
limit	s/> 5%/5%/	10: .*'5%'
limit-words	s/> 5%/> 5 apples/	10: .*apples
no-equals	s/^class =/class/	9: .*key = value
twice	s/^class.*/&\n&/	10: .*line 9
no-source	/^source/d	7: .*'source'
no-class	/^class/d	7: .*'class'
no-value	/^value/d	7: .*'value'
acquit-beyond	s/^maybe/acquit = < 10%\nmaybe/	10: .*acquit
bad-before-maybe	s/^maybe/bad = > 2%\nmaybe/	10: .*bad
no-comparison	s/^class/enough = delta(vmstat:pgfault)\nclass/	9: .*comparison
sustained	s/^class/sustained = 6\/5\nclass/	9: .*K of N
cause-bad	s/^class.*/class = cause\nbad = > 9%/	7: .*nothing reaches
no-area	/^area/d	1: .*area
area	s/= cpu/= cpuu/	3: unknown area 'cpuu'; did you mean 'cpu'
placeholder	s/It may be/Say here what it is/	11: 'why' still has the text that was to be replaced
raw-counter	s/^value.*/value = vmstat:pgfault \/ vmstat:pgalloc_normal/	8: .*counter vmstat:pgfault raw
no-rate	s/_ratio/_per_second/	8: .*called a rate, and its value is none
rate-called-count	s/_ratio/_count/; s/^value.*/value = 2 * rate(vmstat:pgfault)/	8: .*has a rate for a value
seen	/^seen/d	7: .*has no 'seen'
seen-word	s/= never/= nevr/	14: 'seen' is never, tree or live
seen-in-words	s/need not be/is not yet seen live/	13: .*the key 'seen' says that
seen-of-all	/^seen/d; s/^area.*/&\nseen = live/	1: .*let each metric say it
a-second	s/^maybe/say = {value} faults a second\n&/	10: .*behind a number that is no rate
one-and-many	s/_ratio/_count/; s/^value.*/value = delta(vmstat:pgfault)\nclear = {value} minor faults/	9: .*read as '1 errors'
a-second-twice	s/_ratio/_per_second/; s/^value.*/value = rate(vmstat:pgfault)\nclear = {value} per second/	9: .*printed with '.s'
class-out-of-force	s/^maybe.*/maybe = > \/proc\/sys\/vm\/swappiness\nmaybe.nvme = > 3/	10: .*takes 'maybe.nvme' out of force
acquit-of-another	s/^maybe.*/maybe = > \/proc\/sys\/vm\/swappiness\nacquit = < 3/	11: .*fixed number
where	$a [trace t]\nevent = sched:sched_switch\nwhere = prev_pid >	17: behind 'prev_pid >' there is no value
where-of-tracer	$a [trace t]\ntracer = runq\nwhere = prev_pid > 1	17: .*about fields of tracepoints
since	$a [trace t]\nevent = sched:sched_switch\nsince = 5.x	17: .*no release of Linux
no-trace	s/^class/enough = count(trace:runqq) > 3\nclass/	9: .*trace runqq
however	s/^however/however.x.when = window > 1\n&/	7: .*however.x.cap
control	s/may be/may\x01be/	11: .*control
line-too-long	s/may be/&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&/	11: .*199 bytes
before-a-section	1i x = 3	1: .*section
END
# Of this machine's tracepoints. Who may not read them is told so, and nothing is refused.
if [ "$(id -u)" = 0 ] && ! "$tuesday" lint "$root/checks.d/net.ini" 2>&1 | grep -q 'not checked'; then
	while IFS=$'\t' read -r name lines wanted; do
		{ cat good.ini && printf '[trace t]\n%b\n' "$lines"; } >"$name.ini"
		call "$tuesday" lint "$name.ini"
		t "lint: $name" refused 2 "^$name\.ini:16: $wanted"
	done <<-'END'
	tracepoint	event = sched:sched_swich	this kernel has no tracepoint sched:sched_swich; did you mean 'sched:sched_switch'
	subsystem	event = shced:sched_switch	this kernel has no tracepoint .*; did you mean 'sched:sched_switch'
	traced-field	event = sched:sched_switch\nwho = next_com	sched:sched_switch has no field 'next_com' .*; did you mean 'next_comm'
	where-field	event = sched:sched_switch\nwhere = next_pdi > 1	.* has no field 'next_pdi' .*; did you mean 'next_pid'
	where-type	event = sched:sched_switch\nwhere = next_pid == one	where: field 'next_pid' is a number, and 'one' is none
	END
	while IFS=$'\t' read -r name lines; do
		{ cat good.ini && printf '[trace t]\n%b\n' "$lines"; } >"$name.ini"
		call "$tuesday" lint "$name.ini"
		t "lint: $name" test "$status" = 0
	done <<-'END'
	later	event = sched:sched_new\nsince = 99.1
	module	event = no_such_module:event
	END
	sed 's/^area/kernel = ..2.6\n&/' tracepoint.ini >older.ini
	call "$tuesday" lint older.ini
	t "lint: a tracepoint of another kernel" test "$status" = 0
	call "$tuesday" lint module.ini
	t "what may be of a module that is not loaded is a note" says 'module.ini:16: .*cannot be looked up here'
fi
{ cat good.ini && printf '[trace t]\nevent = no:such\n'; } >unread.ini
call "${as_nobody[@]}" "$tuesday" lint unread.ini
t "who may not read tracefs is told what was not looked up, and it is no fault" test \
	"$status$(grep -c '1 declared trace was not checked' err)" = 01
head -c 5000 "$(command -v bash)" >binary.ini
call "$tuesday" lint binary.ini
t "lint: a binary file" refused 2 '^binary\.ini:1: '
t "  says no more than a screen holds" [ "$(wc -l <err)" -lt 30 ]
t "  and nothing that a terminal obeys" [ "$(tr -d '\n' <err | tr -cd '\000-\037' | wc -c)" = 0 ]
head -c 1100000 /dev/zero | tr '\0' ';' >large.ini
call "$tuesday" lint large.ini
t "lint: a file that is too large" refused 2 '^large\.ini: .*1 MiB'
: >empty.ini
printf '[metric' >cut.ini
call "$tuesday" lint cut.ini
t "lint: a file that ends in the middle" refused 2 '^cut\.ini:1: '
mkfifo fifo.ini
mkdir directory.ini
for command in lint check; do
	for name in absent.ini directory.ini fifo.ini; do
		call "$tuesday" "$command" "$name"
		t "$command $name is refused at once" refused "2 or 3" "^$name: "
	done
done
for name in absent fifo key binary; do
	call "$tuesday" check "$name.ini" -o json
	t "check: $name gives no verdict but unknown" [ "$status" = 3 ]
done
call "$tuesday" lint good.ini key.ini good.ini
t "lint goes on after a broken file, and remembers it" \
	[ "$status$(grep -c 'good.ini: ok' out)" = 22 ]

mkdir layer
sed 's/^maybe/mabe/; s/^source.*/source = vmsat/' good.ini >layer/broken.ini
printf '[metric busy_ratio]\nacqit = < 3%%\n' >layer/cpu.ini
sed 's/> 5%/> 99999%/' good.ini >layer/fine.ini
call "$tuesday" run -c layer --replay healthy -o json
t "a broken file in a layer is refused by file and line" \
	says "^layer/broken\.ini:10: unknown key 'mabe'; did you mean 'maybe'"
t "  so is a broken override" says "^layer/cpu\.ini:2: .*did you mean 'acquit'"
t "  both are in the report" has \
	'[.errors[] | select(test("^layer/(broken|cpu).ini:[0-9]+: "))] | length == 2'
t "  the other checks run, and the new one that is whole" has \
	'[.checks[].check] | contains(["cpu", "disk", "fine"]) and all(.[]; . != "broken")'
t "  the verdict is not good" [ "$status" = 3 ]
t "  and it is a report" is_report
call "$tuesday" run -c layer --replay healthy
t "the text says it as well" grep -q "layer/broken.ini:10: .*did you mean 'maybe'" out
call "$tuesday" run cpu -c layer --replay healthy -o json
t "of a check whose override is refused the rest stays in force" \
	has '.verdict == "unknown" and .checks[0].verdict == "good"'
call "$tuesday" run tcp -c layer --replay healthy -o json
t "a check that has nothing to do with it is not held up" [ "$status" = 0 ]
call "$tuesday" run -c absent --replay healthy -o json
t "a layer that is not there is said" refused 3 '^absent: '
call "$tuesday" lint -c layer
t "lint finds the same in all layers" refused 2 '^layer/broken\.ini:10: '

rm layer/*
cp good.ini layer/fine.ini
chmod 666 layer/fine.ini
if [ "$(id -u)" = 0 ]; then
	call "$tuesday" run -c layer --replay healthy -o json
	t "root refuses a check file that others may write" refused 3 '^layer/fine\.ini: .*writable'
	t "  and runs the others" has '[.checks[].check] | contains(["cpu", "disk"]) and all(.[]; . != "fine")'
	chmod 664 layer/fine.ini
	call "$tuesday" run -c layer --replay healthy -o json
	t "one that its group may write" refused 3 '^layer/fine\.ini: .*writable'
	chmod 644 layer/fine.ini
	chown 65534 layer/fine.ini
	call "$tuesday" run -c layer --replay healthy -o json
	t "one of somebody else's, saying whose and what to do" \
		refused 3 "^layer/fine\.ini: .* belongs to user 65534, not to root: 'chown root' it"
	chown 0 layer/fine.ini
	chown 65534 layer
	call "$tuesday" run -c layer --replay healthy -o json
	t "a directory of somebody else's" refused 3 '^layer: .* belongs to user 65534'
	chown 0 layer
	mkdir theirs
	mv layer/fine.ini theirs/
	chown -h 65534 theirs
	ln -s ../theirs/fine.ini layer/fine.ini
	call "$tuesday" run -c layer --replay healthy -o json
	t "a link to where somebody else may put another" refused 3 '^layer/fine\.ini: .*theirs belongs to user 65534'
	rm layer/fine.ini
	chown 65534 theirs/fine.ini
	call "${as_nobody[@]}" "$tuesday" list -c theirs fine
	t "who is not root uses his own" [ "$status$(wc -c <err)" = 00 ]
	chown 0 theirs/fine.ini
	mv theirs/fine.ini layer/
	rmdir theirs
	echo 'days = 1' >theirs.ini
	chown 65534 theirs.ini
	TUESDAY_HISTORY_INI=$PWD/theirs.ini call "$tuesday" run cpu --replay healthy --state state --cron
	t "a history.ini of somebody else's is not obeyed, and that is said" \
		grep -q 'theirs.ini: not obeyed: .* belongs to user 65534' err
	rm -r state
	chmod 1777 layer
	call "$tuesday" run -c layer --replay healthy -o json
	t "likewise a whole directory where others may write" refused 3 '^layer: .*writable'
	t "  and runs what is elsewhere" has '[.checks[].check] | contains(["cpu", "disk"]) and all(.[]; . != "fine")'
	chmod 755 layer
else
	skip "root refuses a check file that others may write" "needs root"
fi

# Absurd machines: the healthy one's files, each spoiled in the same way.

# spoil WAY FILE
spoil() {
	local size

	case $1 in
	empty) : >"$2" ;;
	truncated)
		size=$(stat -c %s "$2")
		truncate -s $((size / 2)) "$2"
		;;
	zeros) head -c 1048576 /dev/zero >"$2" ;;
	negative) sed -Ei 's/(^|[ =])([0-9]+)/\1-\2/g' "$2" ;;
	huge) sed -Ei 's/[0-9]+/999999999999999999999999999999/g' "$2" ;;
	garbage) head -c 4096 "$BIN/tuesday" >"$2" ;;
	missing) rm "$2" ;;
	directory) rm "$2" && mkdir "$2" ;;
	fifo) rm "$2" && mkfifo "$2" ;;
	link) mv "$2" "$work/behind" && ln -s "$work/behind" "$2" ;;
	unreadable) chmod 000 "$2" ;;
	esac
}

for way in empty truncated zeros negative huge garbage missing directory fifo unreadable; do
	rm -rf machine
	cp -r healthy/0 machine
	while IFS= read -rd '' file; do
		spoil "$way" "$file"
	done < <(find machine/proc machine/sys -type f -print0)
	as=()
	program=$reader
	if [ "$way" = unreadable ] && [ "$(id -u)" = 0 ]; then
		as=("${as_nobody[@]}")
		cp "$tuesday" program
		program=./program
	fi
	call "${as[@]}" "$program" run --root machine --windows=1 --window=0.1 -o json
	t "a machine whose files are $way: a report" is_report
	# For config a setting that makes no sense is one, too.
	t "  accuses nobody" has 'all(.checks[] | select(.check != "config" or "'"$way"'" != "negative");
		.verdict != "bad" and .verdict != "maybe")'
	t "  has a reason for each unknown" has \
		'all(.checks[]; .verdict != "unknown" or (.reason | length > 5))'
	case $way in
	negative | truncated) ;;
	# For config that a file is not there is an answer; names reads none of these; words have no
	# digits to spoil.
	*) t "  is not called good" has '[.checks[] | select([.check] | inside(["config", "names"]) | not)
		| select("'"$way"'" != "huge" or ([.check] | inside(["nic", "xen-clock", "zswap"]) | not))]
		| all((.verdict == "unknown" or .verdict == "skip") and (.exonerated | not))' ;;
	esac
	call "${as[@]}" "$program" run --root machine --windows=1 --window=0.1 -v
	t "  is told as text" [ "$(wc -l <out)" -gt 40 ]
	t "  has no number that is none" [ "$(grep -ciwE -- '-?nan|-?inf' out)" = 0 ]
done
mkdir nothing
call "$tuesday" run cpu --root nothing --quick --no-trace
t "a root without /proc is no machine that is good" [ "$status" = 3 ]
call "$tuesday" run --root absent
t "a root that is not there is said" refused 3 'absent: '

# Recordings in which some files are spoiled: the metrics that rest on them have no value and are not
# good. SAMPLE_FILE CHECK METRIC, all of which have a value in the recording; a paragraph is spoiled at
# once.
rests_on='proc/pressure/cpu cpu pressure_some_ratio
proc/interrupts irq one_cpu_ratio
proc/diskstats disk busy_ratio
proc/net/netstat listen overflow_per_second
proc/vmstat memory oom_kill_count
proc/net/dev net error_ratio
proc/net/snmp tcp resets_sent_per_second

proc/stat cpu busy_ratio
proc/stat irq irq_time_ratio
proc/pressure/io disk pressure_full_ratio
proc/meminfo memory available_ratio
proc/net/softnet_stat net softnet_dropped_per_second
@listen listen dropped_per_second

proc/pressure/memory memory pressure_some_ratio
@task cpu wait_ratio'

# talks CHECK METRIC: it has a value, or a verdict without one.
talks() {
	# shellcheck disable=SC2016
	jq -e --arg check "$1" --arg metric "$2" 'any(.checks[] | select(.check == $check).metrics[];
		.name == $metric and (.value != null or .verdict != "unknown"))' out >/dev/null
}

# spoil_some WAY FILE...: in every sample of a copy of the recording.
spoil_some() {
	local way=$1 file sample

	shift
	rm -rf copy
	cp -r listen copy
	for sample in copy/[0-9]; do
		for file; do
			spoil "$way" "$sample/$file"
		done
	done
}

call "$reader" run --replay listen -o json
silent=0
while read -r file check metric; do
	if [ -n "$file" ] && ! talks "$check" "$metric"; then
		silent=$((silent + 1))
		echo "$check $metric has no value" | why
	fi
done <<<"$rests_on"
is "$silent" 0 "whole, the recording has a value for each of these metrics"

for way in empty zeros huge garbage missing directory fifo link truncated negative; do
	wrong=0
	talking=0
	while IFS= read -rd '' paragraph; do
		mapfile -t files < <(cut -d' ' -f1 <<<"$paragraph" | sort -u)
		spoil_some "$way" "${files[@]}"
		call "$reader" run --replay copy -o json
		if ! is_report; then
			wrong=$((wrong + 1))
			echo "${files[*]}: exit status $status: $(head -n 3 err | cut -c1-200)" | why
		fi
		while read -r file check metric; do
			# Digits in a blob are none.
			[ "$way $file" = "huge @task" ] && continue
			if talks "$check" "$metric"; then
				talking=$((talking + 1))
				[ "$way" = truncated ] || [ "$way" = negative ] ||
					echo "$file: $check $metric still says something" | why
			fi
		done <<<"$paragraph"
	done < <(awk -v RS= -v ORS='\0' 1 <<<"$rests_on")
	is "$wrong" 0 "a recording with files that are $way is judged like any other"
	case $way in
	truncated | negative) ;;
	*) is "$talking" 0 "  and nothing rests on them" ;;
	esac
done

# Recordings that are none, or not whole.

call "$tuesday" run --replay nothing
t "an empty directory is no recording" refused 3 '^tuesday: nothing: not a recording'
call "$tuesday" run --replay absent
t "nor one that is not there" refused 3 'not a recording'
call "$tuesday" run --replay good.ini
t "nor a file" refused 3 'good.ini'

copy() {
	rm -rf copy
	cp -r listen copy
}
copy
rm -r copy/3 copy/4 copy/5
call "$reader" run --replay copy -o json
t "without its last samples it has fewer windows" has '.windows == 2'
t "  and is judged" is_report
copy
rm -r copy/[1-9]
call "$reader" run --replay copy -o json
t "a single sample is no window: no counter has a value" has '.windows == 0 and
	all(.checks[].metrics[] | select(.name | test("_per_second$")); .value == null)'
t "  and nothing but a level is called good" has \
	'all(.checks[] | select(.check | IN("cpu", "irq", "memory", "net", "tcp", "throttle"));
		.verdict == "unknown")'
t "  nor is a disk cleared of which only the log speaks" has \
	'all(.checks[] | select(.check == "disk"); .verdict == "good" and (.exonerated | not))'
for text in '' '-5' '5' 'x' '99999999999999999999999'; do
	copy
	echo "$text" >copy/3/time
	call "$reader" run --replay copy -o json
	t "a sample with the time '$text' is not used" has '.windows == 2'
	t "  the others are" is_report
	t "  and the report says so" has 'any(.errors[]; contains("truncated at sample"))'
	echo "$text" >copy/0/time
	call "$reader" run --replay copy -o json
	if [ "$text" = 5 ]; then
		t "  nor is a window of hours good" is_report
	else
		t "  and without a first sample it is no recording" refused 3 'not a recording'
	fi
done
copy
rm copy/environment
call "$reader" run --replay copy -o json
t "without its environment it is judged, and names nobody" has '.host == "unknown"'
head -c 100000 /dev/urandom >copy/environment
call "$reader" run --replay copy -o json
t "with garbage for an environment likewise" is_report
rm -rf copy
cp -r healthy copy
head -c 100000 /dev/urandom >copy/5/@trace
call "$reader" run --deep --replay copy -o json
t "garbage for a trace is no trace" has 'all(.checks[]; .tier != "trace")'
t "  and is judged" is_report

# Links lead out of it, to what would be a good file.
rm -rf outside
cp -r listen outside
copy
rm -r copy/0
ln -s ../outside/0 copy/0
call "$reader" run --replay copy -o json
t "a link in place of the first sample is not followed" [ "$status$(wc -c <out)" = 30 ]
copy
for sample in copy/[0-9]; do
	rm -r "$sample/proc"
	ln -s "../../outside/$(basename "$sample")/proc" "$sample/proc"
done
call "$reader" run --replay copy -o json
t "nor is one in place of a directory" has \
	'all(.checks[].metrics[] | select(.name | test("available|pressure|busy")); .value == null)'
copy
rm copy/environment
ln -s ../outside/environment copy/environment
call "$reader" run --replay copy -o json
t "nor one in place of the environment" has '.host == "unknown"'

# Kernels that lack something, and traces that say how they looked.

if [ "$(id -u)" = 0 ] && [ -e /sys/kernel/btf/vmlinux ]; then
	call "$tuesday" run cpu --deep --quick -v
	t "a trace says how it looked" grep -q 'traced: .*sched' out
	TUESDAY_WITHOUT=btf call "$tuesday" run cpu --deep --quick -v
	t "without BTF it is said what was used instead, or why nothing was" \
		grep -qE 'instead of|not traced: .*BTF' out
	TUESDAY_WITHOUT=btf,tracefs call "$tuesday" run cpu --deep --quick -o json
	t "without BTF and tracefs it is said why there is no trace" \
		has '.checks[0] | .tier == "counters" and (.missing | contains("BTF"))'
else
	skip "traces say how they looked" "needs root and a kernel with BTF"
fi
TUESDAY_WITHOUT=bpf call "$tuesday" run cpu --deep --quick -o json
t "without BPF it is said what would have to be granted" has \
	'.checks[0].missing | contains("CAP_BPF") and contains("root")'
t "  and the counters have spoken" is_report

# Output that goes nowhere.

for command in "run --replay listen" "run --replay listen -o json" list explain config \
	"lint good.ini" --help "run --help" --version "run --explain"; do
	: >out
	# shellcheck disable=SC2086
	timeout 20 "$tuesday" $command >/dev/full 2>err
	status=$?
	t "$command: a full standard output is an error" refused 3 'standard output: No space'
	t "  and said once" [ "$(wc -l <err)" = 1 ]
	# shellcheck disable=SC2086
	timeout 20 "$tuesday" $command >&- 2>err
	status=$?
	t "$command: so is a closed one" refused 3 'standard output: Bad file'
done
call "$tuesday" run --replay listen -o json --to /dev/full
t "--to /dev/full is an error" refused 3 '^tuesday: /dev/full: No space left'
t "  and the result is on standard output" has '.verdict == "bad"'
call "$tuesday" run --replay listen -o json --to absent/report
t "--to a directory that is not there likewise" refused 3 'absent/report: No such'
t "  with the result" has '.verdict == "bad"'
call "$tuesday" run --replay listen -o json --to nothing
t "--to a directory likewise" refused 3 'nothing: Is a directory'
mkfifo nobody
call "$tuesday" run --replay listen -o json --to nobody
t "--to a pipe that nobody reads does not hang" [ "$status" = 3 ]

call "$tuesday" run --quick --no-trace -o json --record listen
t "--record does not write into what is there" refused 3 'listen: Directory not empty'
call "$tuesday" run --quick --no-trace -o json --record absent/recording
t "--record where there is no directory is said at once" refused 3 'absent/recording: No such'
call "$tuesday" run --quick --no-trace -o json --record good.ini
t "--record onto a file is said" refused 3 'good.ini: '
if [ "$(id -u)" != 0 ]; then
	skip "a full disk" "needs root"
else
	cp "$tuesday" program
	mkdir -m 755 locked
	call "${as_nobody[@]}" ./program run --quick --no-trace -o json --record locked/recording
	t "--record where one may not write is said" refused 3 'locked/recording: Permission denied'

	mkdir "$full"
	mount -t tmpfs -o size=64k none "$full"
	echo old >"$full/report"
	head -c 100000 /dev/zero >"$full/ballast" 2>/dev/null
	call "$tuesday" run --replay listen -o json --to "$full/report"
	t "--to a full disk is an error" refused 3 'report: No space left'
	t "  the result is on standard output" has '.verdict == "bad"'
	is "$(cat "$full/report")" old "  the old report is whole"
	is "$(find "$full" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')" "ballast report " \
		"  and nothing is beside it"
	call "$tuesday" run --quick --no-trace -o json --record "$full/recording"
	t "--record onto a full disk is an error" refused 3 'recording is not whole: No space left'
	t "  and the result is on standard output" has '.schema == "tuesday/1"'
	umount "$full"
fi

plan
