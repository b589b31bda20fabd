#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the tools for writing a check show what is there: try, sources, new, check --watch?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
unset NO_COLOR
work=$(mktemp -d /var/tmp/tuesday-writing.XXXXXX)
trap 'rm -rf "$work"' EXIT
tuesday=$BIN/tuesday
mkdir "$work/listen"
tar -xzf "$root/tests/replay/listen.tar.gz" -C "$work/listen" --no-same-owner
cd "$work" || exit 1

# ends STATUS OUT ERR: the exit status, and what is in out and err (- for nothing).
ends() {
	[ "$status" = "$1" ] && in_file out "$2" && in_file err "$3"
}

in_file() {
	if [ "$2" = - ]; then
		[ ! -s "$1" ]
	else
		grep -q -- "$2" "$1"
	fi
}

for command in try sources; do
	call "$tuesday" "$command" --help
	t "$command --help prints usage" ends 0 "^Usage: tuesday $command" -
	call "$tuesday" "$command" --no-such-option
	t "$command refuses an option that is not there" ends 64 - no-such-option
	call "$tuesday" "$command" --deep
	t "$command has no option of a run that means nothing to it" ends 64 - deep
	call "$tuesday" "$command" one two
	t "$command takes one word" ends 64 - one
	call sh -c "exec '$tuesday' $command --replay listen vmstat:pgfault >/dev/full"
	t "$command to a full device does not succeed" ends 3 - 'standard output'
done

# try

call "$tuesday" try --windows 3 --window 0.1 'rate(vmstat:pgfault)'
t "try prints a line a window" ends 0 '^3 [0-9.e+-]* /s$' -
is "$(wc -l <out)" 3 "and no other"
call "$tuesday" try --replay listen 'delta(net/netstat:TcpExt.ListenDrops)'
t "try replays a recording" ends 0 '^5 ' -
is "$(awk '{ sum += $2 } END { print (sum > 0) }' out)" 1 "with the numbers that were recorded"
call "$tuesday" try --replay listen 'rate(diskstats:*.read_bytes)'
t "try prints a line for each instance, with its unit" ends 0 '^1 vda [0-9.e+-]* bytes/s$' -
is "$(awk '$1 == 1 { print $2 }' out)" "$(awk '$1 == 1 { print $2 }' out | sort -V)" \
	"sorted by name"
call "$tuesday" try --replay listen 'rate(vmstat:pgmajfalt)'
t "try suggests the name that was meant" ends 3 '^1 no value$' "did you mean 'vmstat:pgmajfault'"
call "$tuesday" try --replay listen 'diskstats:*.redas'
t "also behind a star" ends 3 'no value' "did you mean 'diskstats:\*.reads'"
call "$tuesday" try 'rate(vmsat:pgfault)'
t "try suggests the source that was meant" ends 64 - "did you mean 'vmstat'"
call "$tuesday" try '1 + + 2'
t "try points at what is wrong" ends 64 - '^ *^$'
call "$tuesday" try --replay listen 'delta(vmstat:pgfault) / 0'
t "a division by zero is no value, and said" ends 3 'no value' 'division by zero'
call "$tuesday" try --replay nowhere 'vmstat:pgfault'
t "no recording is no value" ends 3 - 'nowhere'
call "$tuesday" try "$(printf 'vmstat:x\033[2J')"
t "what is typed is printed harmlessly" ends 64 - 'x1b'
"$tuesday" try --windows 1000 --window 10 'vmstat:pgfault' >out 2>err &
pid=$!
for _ in {1..200}; do
	find "/proc/$pid/fd" -lname '/proc/*' 2>/dev/null | grep -q . && break
	sleep 0.05
done
kill -TERM "$pid"
wait "$pid"
status=$?
t "an interrupted try prints the short window and ends" ends 0 '^1 ' -

# sources

call "$tuesday" sources --all --replay listen
t "sources --all lists a recording" ends 0 '^vmstat:pgfault  [0-9]*$' -
t "with units where the names tell them" grep -q '^meminfo:MemTotal  [0-9]* bytes$' out
t "with names for all instances" grep -q '^diskstats:\*.read_ms  \[[0-9]* instances\] ms$' out
t "with the paths that checks read" grep -q '^/sys/block/vda/queue/wbt_lat_usec  ' out
call "$tuesday" sources
t "sources alone has a line a source" ends 0 '^vmstat  *[0-9]*  /proc/vmstat' -
is "$(($(wc -l <out) < 150))" 1 "and no more"
call "$tuesday" sources diskstats:
t "of instances there is one line" [ "$(grep -c '^diskstats:[^ ]*\.read_ms  ' out)/$(grep -c '^diskstats:\*\.read_ms  \[' out)" = 1/1 ]
call "$tuesday" sources oom
t "sources finds by what checks say of a word" ends 0 '^vmstat:oom_kill' -
call "$tuesday" sources defunct
t "which no name has" ends 0 '^process:\*.zombies  (pids: ' -
if "$tuesday" sources --tracepoints sched_switch >out 2>err; then
	t "--tracepoints has tracepoints" grep -qx 'sched:sched_switch' out
	t "with their fields" grep -Eq '^  prev_pid  pid_t, 4 bytes' out
	t "without those of every record" [ "$(grep -c common_ out)" = 0 ]
	call "$tuesday" sources --tracepoints 'sched:*'
	t "many are listed by their names" [ "$(grep -c '^  ' out)/$(grep -c '^sched:sched_wakeup$' out)" = 0/1 ]
	call "$tuesday" sources --tracepoints no_such_thing
	t "and one that is not there is said" ends 3 - 'no such tracepoint'
else
	skip "--tracepoints has tracepoints" "$(head -n 1 err)"
fi
call "$tuesday" sources --all
t "sources --all lists this machine" ends 0 '^vmstat:pgfault  [0-9]*$' -
is "$(($(wc -l <out) > 500))" 1 "at length"
grep -v '^#' out | grep . >names
is "$(sed 's/  .*//' names | sort | uniq -d | head -n 3)" "" "each name once"
call "$tuesday" sources vmstat:pgmaj
t "sources takes a part of a name" ends 0 '^vmstat:pgmajfault ' -
is "$(grep -vc '^#' out)" 1 "and lists what has it"
call "$tuesday" sources 'vmstat:pgsc*_direct'
t "sources takes a shell pattern" ends 0 '^vmstat:pgscan_direct ' -
call "$tuesday" sources 'diskstats:*.read_ms'
t "a star in a pattern matches names with and without" ends 0 'instance' -
call "$tuesday" sources zzzzzz
t "no such name is said" ends 3 - 'no such name'

# Some names of all kinds, as they were printed.
wrong=
while read -r name value _; do
	# Others come and go while tests run beside this one.
	case $name in
	vmstat:* | meminfo:* | stat:* | net/*:host.* | zoneinfo:* | diskstats:vda* | mount:'"/".'*) ;;
	cgroup:'"/".'* | pressure/* | net/softnet_stat:*) ;;
	*) continue ;;
	esac
	if [ "${value#[}" != "$value" ]; then
		continue
	fi
	"$tuesday" try --windows 1 --window 0.1 "$name" >one 2>&1 || wrong="$wrong $name"
done < <(awk 'NR % 40 == 1' names)
is "$wrong" "" "what sources lists can be referred to as it is written there"

# new

call "$tuesday" new --help
t "new --help prints usage" ends 0 '^Usage: tuesday new' -
call "$tuesday" new
t "new wants a name" ends 64 - 'name'
call "$tuesday" new fresh
t "new without a terminal wants options" ends 64 - '--metric'
call "$tuesday" new fresh --question 'Are pages read in?' --metric 'rate(vmstat:pgmajfault)'
t "new writes a check from two options" ends 0 'fresh.ini' -
call "$tuesday" lint fresh.ini
t "of which lint says what is left to write" ends 2 - "'why' still has the text that was to be replaced"
t "and the area, which is the check's own name" grep -q "unknown area 'fresh': there are" err
sed -i 's/Say here/It says/; s/^area .*/area = memory/' fresh.ini
call "$tuesday" lint fresh.ini
t "without it it has no fault" ends 0 'fresh.ini: ok' -
t "and is full of comments" test "$(grep -c '^;' fresh.ini)" -gt 6
call "$tuesday" check --quick --window 0.1 fresh.ini
t "and runs" ends 0 'pgmajfault_per_second' -
cp fresh.ini before
call "$tuesday" new fresh --question 'Another?' --metric 'loadavg:threads'
t "new does not overwrite" ends 3 - '--force'
t "anything" cmp -s fresh.ini before
ln -s "$work/elsewhere" linked.ini
call "$tuesday" new linked --question 'Another?' --metric 'loadavg:threads'
t "nor follow a link" test ! -e elsewhere
call "$tuesday" new fresh --force --question 'Another?' --metric 'loadavg:threads'
t "unless it is told to" grep -q 'Another' fresh.ini
call "$tuesday" new whole -o here.ini --area memory --question 'Do tasks wait for memory?' \
	--metric 'rate(pressure/memory:some.total)' --class harm --acquit '0.5%' --maybe '> 5%' \
	--bad '> 20%' --enough 'delta(vmstat:pgfault) > 10' --say 'tasks wait {value} of the time' \
	--why 'Somebody waits.' --source 'psi.rst' --however 'Reclaim counts too.' \
	--metric 'rate(diskstats:*.read_bytes)'
t "new takes all keys and several metrics" ends 0 'here.ini' -
t "a value is brought into the unit of its name" grep -q \
	'^value *= rate(pressure/memory:some.total) \* 1us$' here.ini
t "which the name says" grep -q '^\[metric read_bytes_bytes_per_second\]$' here.ini
sed -i 's/Say here/It says/' here.ini
call "$tuesday" lint here.ini
t "and that has no fault either" ends 0 'ok' -
printf '[limit]\ntrend.within = 2h\n' >defaults.ini
call "$tuesday" lint defaults.ini
t "what all limits have is no check, and has no fault" ends 0 'defaults.ini: ok' -
echo 'trend.withn = 2h' >>defaults.ini
call "$tuesday" lint defaults.ini
t "what is wrong there is said" ends 2 - "unknown part of a trend 'withn'; did you mean 'within'?"
rm defaults.ini
call "$tuesday" new a-b -o - --question q --metric 1
t "new writes to standard output" ends 0 '^value *= 1$' -

# refused SENTENCE PHRASE OPTION...: and nothing is written.
refused() {
	local sentence=$1 phrase=$2

	shift 2
	call "$tuesday" new "$@"
	t "$sentence" ends 64 - "$phrase"
}
refused "an unknown source is refused" "did you mean 'vmstat'" bad1 --question q --metric vmsat:x
refused "a wrong class is refused" "did you mean 'harm'" bad1 --question q --metric 1 --class hram
refused "limits that contradict each other are refused" "'bad'" bad1 --question q \
	--metric loadavg:threads --maybe '> 5' --bad '> 3'
refused "a line break is refused" 'one line' bad1 --question "$(printf 'a\nb = c')" --metric 1
refused "a limit needs a metric" '--metric' bad1 --maybe 5
refused "a name of a check that is there is refused" 'already' cpu --question q --metric 1
refused "a wrong name is refused" 'name' ../x --question q --metric 1
t "and nothing was written" test ! -e bad1.ini

if command -v script >/dev/null; then
	printf '%s\n' number 'Do pages come in?' memory 'rate(vmsat:x)' 'rate(vmstat:pgmajfault)' harm '< 1' \
		'> 100' '' '{value} are read' 'Each is a wait.' 'a book' 'Read-ahead.' |
		timeout 20 script -qec "'$tuesday' new asked" /dev/null >out 2>err
	t "new asks on a terminal" grep -q '^maybe *= > 100' asked.ini
	t "says what is wrong with an answer" grep -q "did you mean 'vmstat'" out
	sed -i "s/Say here/It says/" asked.ini
	call "$tuesday" lint asked.ini
	t "and what it writes has no fault" ends 0 'ok' -
else
	for sentence in "new asks on a terminal" "says what is wrong with an answer" \
		"and what it writes has no fault"; do
		skip "$sentence" "needs the program script"
	done
fi

# check --watch

call "$tuesday" check fresh.ini --watch --replay listen
t "a recording is not watched" ends 64 - 'watch'

# said PHRASE: whether the watch says so within 10 seconds, in the block that is last by then.
said() {
	for _ in {1..200}; do
		tail -n 6 seen 2>/dev/null | grep -q -- "$1" && return
		sleep 0.05
	done
	return 1
}
write_limit() {
	printf '%s\n' '[check]' 'question = q?' '[metric threads_count]' \
		'value = loadavg:threads' 'class = limit' 'source = x' "maybe = $1" >watched.tmp
	mv watched.tmp watched.ini
}
write_limit '> 1000000'
"$tuesday" check watched.ini --watch --window 0.2 >seen 2>err &
pid=$!
t "watch shows values against limits" said 'good  *threads_count: [0-9]*  maybe > 1'
blocks=$(grep -c 'watched.ini' seen)
for _ in {1..200}; do
	[ "$(grep -c 'watched.ini' seen)" = "$blocks" ] || break
	sleep 0.05
done
t "again and again" test "$(grep -c 'watched.ini' seen)" -gt "$blocks"
write_limit '> 1'
t "a changed limit is in force at once" said 'maybe  *threads_count'
printf '[check]\nquestion = q?\n[metric thre' >watched.ini
t "a file that is half saved is said" said 'watched.ini:3'
rm watched.ini
t "and one that is gone" said 'No such file'
write_limit '> 1000000'
t "and it goes on when it is back" said 'good  *threads_count'
kill -TERM "$pid"
wait "$pid"
status=$?
t "a signal ends it well" test "$status" = 0
t "what is piped has no terminal codes" sh -c '! LC_ALL=C grep -q "[[:cntrl:]]" seen'
t "and nothing was said on standard error" test ! -s err

# Which version is installed stands in a list of which no more than a part is read at a time.
mkdir -p machine/proc machine/var/lib/dpkg/info
echo 'pgfault 1' >machine/proc/vmstat
paragraph() {
	printf 'Package: %s\nStatus: install ok installed\nDescription: %s\nVersion: %s\n\n' "$1" "$2" "$3"
	: >"machine/var/lib/dpkg/info/$1.list"
}
filler=$(head -c 3000 /dev/zero | tr '\0' x)
{
	paragraph first "" 1.0
	for i in $(seq 60); do
		paragraph "lib$i" "$filler" "2.$i"
	done
	paragraph last "$filler" 3.0
} >machine/var/lib/dpkg/status
for of in 'first = 1.0' 'lib1 = 2.1' 'lib10 = 2.10' 'lib11 = 2.11' 'lib21 = 2.21' 'lib33 = 2.33' \
	'lib60 = 2.60' 'last = 3.0'; do
	cat >package.ini <<-END
		[check]
		question = Is it?
		area = memory
		package = ${of/=/!=}
		[metric faults_count]
		value = vmstat:pgfault
		class = limit
		acquit = < 2
		maybe = > 2
		source = judgement
	END
	call "$tuesday" check package.ini --root machine --quick --window=0.1
	t "of a long list of packages the right version is known: $of" grep -q "skip.*of version ${of#* = }, not" out
done

# A recent issue is of a known area, or is not loaded; of other checks lint alone asks for one.
recent() {
	mkdir -p recent
	{
		printf '[check]\nquestion = Is it there?\narea = %s\n%s\n' "$1" "$2"
		printf '[metric x_count]\nvalue = vmstat:pgfault\nclass = cause\nsource = none\n'
	} >recent/issue.ini
	chmod -R go-w recent
	call "$tuesday" run issue --no-trace --quick -c recent
}
recent memroy 'kernel = ..99.0'
t "an issue of some versions with an area that there is not is refused" \
	grep -q "recent/issue.ini:3: unknown area 'memroy'; did you mean 'memory'?" err
recent thing 'expires = 2099-01-01'
t "with what to look up" grep -q "unknown area 'thing': it is one that a shipped check has" err
recent memory 'expires = 2099-01-01'
t "one with a known area is asked" [ "$status:$(grep -c area err)" = 0:0 ]
recent thing ''
t "and any other check may have one of its own" [ "$status:$(grep -c area err)" = 0:0 ]

# All that a file lacks is said at once.
printf '[check]\nquestion = Is it?\n[metric a_count]\nvalue = vmstat:pgfault\nmaybe = > 5\n' >lacks.ini
call "$tuesday" lint lacks.ini
is "$(grep -oE "has no '[a-z]+'" err | sort | tr -d "'" | cut -d ' ' -f 3 | paste -sd ' ')" "area class however seen source why" \
	"lint says in one round what hinders a check and what a reader will miss"
plan
