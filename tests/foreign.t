#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do other people's monitoring plugins become checks, and hurt nobody when they are hostile?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
unset NO_COLOR
if ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs the program jq"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-foreign.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
tuesday=$BIN/tuesday
plugins=/usr/lib/nagios/plugins
cd "$work" || exit 1

patience=60

has() {
	jq -e ".checks[0] | $1" out >/dev/null
}

# write NAME EXEC [LINE...]: a check file.
write() {
	local name=$1

	{
		printf '[check]\nquestion = Is it so?\narea = kernel\nexec = %s\n' "$2"
		shift 2
		printf '%s\n' "$@"
	} >"$name.ini"
	chmod 644 "$name.ini"
}

check() {
	call "$tuesday" check "$1.ini" --quick --window 0.1 -o json
}

# program NAME: a script from standard input.
program() {
	{
		echo '#!/bin/sh'
		cat
	} >"$1"
	chmod 755 "$1"
}

# The real ones

if [ ! -x "$plugins/check_dummy" ]; then
	for sentence in "each exit status is a verdict" "check_disk" "check_load" "check_procs" \
		"check_tcp" "a missing argument"; do
		skip "$sentence" "monitoring-plugins-basic is not installed"
	done
else
	for pair in 0:good 1:maybe 2:bad 3:unknown; do
		write dummy "$plugins/check_dummy ${pair%:*} 'it is so'"
		check dummy
		t "exit status ${pair%:*} is ${pair#*:}" \
			has ".verdict == \"${pair#*:}\" and (.summary | contains(\"it is so\"))"
		is "$status" "${pair%:*}" "and is handed on"
	done
	write space "$plugins/check_disk -w 0 -c 0 -p /"
	check space
	t "check_disk: the space of a file system is a metric" has '.verdict == "good" and
		.metrics[0].name == "perfdata_bytes" and .metrics[0].instance == "/" and
		.metrics[0].value > 1e6'
	write load "$plugins/check_load -w 0,0,0 -c 100000,100000,100000"
	check load
	t "check_load: the thresholds are its limits" has '(.metrics | length) == 3 and
		.metrics[0].instance == "load1" and .metrics[0].maybe == 0 and
		.metrics[0].bad == 100000'
	write procs "$plugins/check_procs -c 1:1 -C no-such-program"
	check procs
	t "check_procs: a missing process is bad" has '.verdict == "bad" and
		.metrics[0].value == 0 and .next[0] == "tuesday explain procs"'
	write port "$plugins/check_tcp -H 127.0.0.1 -p 1"
	check port
	t "check_tcp: a refused connection is bad" has '.verdict == "bad"'
	write usage "$plugins/check_tcp"
	check usage
	t "a missing argument is unknown" has '.verdict == "unknown" and .reason != ""'
fi

# Hostile ones

program works <<'END'
echo "OK - fine | 'a b'=5ms;10;20 c=7%;;"
END
write works "$work/works"
check works
t "any program can be a plugin" has '.verdict == "good" and .exonerated and
	.metrics[0].value == 0.005 and .metrics[0].maybe == 0.01 and .metrics[1].value == 0.07'
call "$tuesday" lint works.ini
is "$status" 0 "and its check file is right"
program hangs <<'END'
echo started
exec sleep 1000
END
write hangs "$work/hangs" "timeout = 300ms"
SECONDS=0
check hangs
t "who hangs is unknown at its deadline" has '.verdict == "unknown" and
	(.reason | contains("did not end within 0.3 s"))'
t "and nobody has waited longer" test "$SECONDS" -lt 6
program forks <<END
setsid sh -c 'echo \$\$ >$work/one; exec sleep 1000' &
(setsid sh -c 'echo \$\$ >$work/two; exec sleep 1000' &)
until test -s $work/one -a -s $work/two; do sleep 0.01; done
exec sleep 1000
END
write forks "$work/forks" "timeout = 2s"
check forks
t "who forks and hangs is unknown" has '.verdict == "unknown"'
left=0
for name in one two; do
	pid=$(cat "$name")
	grep -qs sleep "/proc/$pid/comm" && left=$((left + 1))
done
is "$left" 0 "and none of its processes is left"
program floods <<'END'
while :; do echo "OK - all is well and this line is one of very many"; done
END
write floods "$work/floods"
check floods
t "who floods is unknown" has '.verdict == "unknown" and (.reason | contains("64 KiB"))'
program dies <<'END'
kill -KILL $$
END
write dies "$work/dies"
check dies
t "who dies is unknown" has '.verdict == "unknown" and (.reason | contains("signal 9"))'
program odd <<'END'
exit 77
END
write odd "$work/odd"
check odd
t "who ends with another status is unknown" has '.verdict == "unknown" and
	(.reason | contains("77"))'
program paints <<'END'
printf '\033[2J\033]0;owned\007 BAD | \033[1m=1 x=2;;;;\033 %s\n' '$(touch /tmp/x)'
exit 2
END
write paints "$work/paints"
call "$tuesday" check paints.ini --quick --window 0.1 -v
t "who paints the terminal does not" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' out"
program spies <<'END'
grep -h Cap /proc/self/status | tr '\t\n' '  '
echo "$SECRET"
cat
ls /proc/self/fd | tr '\n' ' '
END
write spies "$work/spies"
SECRET=planted call "$tuesday" check spies.ini --quick --window 0.1 -o json
t "a plugin has no capability" has '.summary | test("CapEff: 0{16}")'
t "and none of our environment" sh -c '! grep -q planted out'

# Whom to believe

# refused SENTENCE PHRASE: the program of works.ini is not run as things are, and lint says so.
refused() {
	rm -f ran
	check works
	t "$1" has ".verdict == \"unknown\" and (.reason | contains(\"$2\"))"
	call "$tuesday" lint works.ini
	t "and lint says so" grep -q "would not be run" err
}

# not_obeyed SENTENCE PHRASE: by root the check file itself is refused, by others its program.
not_obeyed() {
	if [ "$(id -u)" != 0 ]; then
		refused "$@"
		return
	fi
	rm -f ran
	check works
	t "$1" [ "$status$(grep -c "^works.ini: not obeyed: .*$2" err)" = 31 ]
	t "and its program is not run" test ! -e ran
	call "$tuesday" lint works.ini
	t "and lint says so" grep -q "works.ini: root's runs would ignore it: .*$2" err
}

program works <<END
touch $work/ran
echo OK
END
chmod g+w works.ini
not_obeyed "a check file that its group may write to is not obeyed" works.ini
chmod 644 works.ini
chmod o+w works
refused "a program that others may write to is not run" works
chmod 755 works
chmod o+w .
not_obeyed "nor is a check file in a directory that others may write to" "$work"
chmod 755 .
if [ "$(id -u)" = 0 ]; then
	chown 1234 works
	refused "nor one that belongs to somebody else" 'user 1234'
	chown 0 works
	chown 1234 works.ini
	not_obeyed "nor by a check file that does" 'user 1234'
	chown 0 works.ini
	# What an interpreter is handed is a program as well.
	for argument in "" "--file="; do
		write works "/bin/sh $argument$work/works"
		chown 1234 works
		refused "nor is the file that it is handed, if that is somebody else's: $argument" 'user 1234'
		t "which is not run" test ! -e ran
		chown 0 works
	done
	write works "/bin/sh $work/theirs/later"
	mkdir theirs
	chown 1234 theirs
	refused "nor what somebody else could still put there" 'user 1234'
	write works "$work/works $work/theirs /none"
	check works
	t "somebody else's directory may be looked at" test -e ran
	rm -r theirs
	write works "/bin/sh $work/works"
	rm -f ran
	check works
	t "and root's own script is run" test -e ran
	write works "$work/works"
fi
ln -s "$work/works" link
write works "$work/link"
check works
t "a link to a program is followed" test -e ran
write works "$work/none"
check works
t "a program that is not there is said" has '.verdict == "unknown" and
	(.reason | contains("No such file"))'
write works "$work/works"

# Files that are wrong

# wrong SENTENCE PHRASE: lint of wrong.ini says so.
wrong() {
	call "$tuesday" lint wrong.ini
	t "$1" grep -q -- "$2" err
}
write wrong "works"
wrong "a program wants its whole path" 'whole path'
write wrong "/bin/true 'x"
wrong "a quote is closed" 'quote'
write wrong "/bin/true" "timeout = 0"
wrong "a timeout is more than 0" 'timeout'
write wrong "/bin/true" "timeout = 1h"
wrong "a timeout is not for ever" 'timeout'
write wrong "/bin/true" "" "[metric x_count]" "value = loadavg:threads" "class = cause" "source = none"
wrong "there are no metrics beside a program" 'beside it'
printf '[check]\nquestion = x?\ntimeout = 5s\n' >wrong.ini
wrong "a timeout is that of a program" "about 'exec'"

# Recordings

rm -f ran
call "$tuesday" run works -c . --quick --window 0.1 --record rec -o json
t "a program is run in a whole run" has '.verdict == "good"'
rm -f ran
call "$tuesday" run works -c . --replay rec -o json
t "a replay has its answer" has '.verdict == "good" and .summary == "OK"'
t "and does not run it" test ! -e ran
rm -rf rec/*/@plugin-works
call "$tuesday" run works -c . --replay rec -o json
t "a recording without an answer is unknown" has '.verdict == "unknown"'
t "and does not run it either" test ! -e ran
mkdir -p root/proc
call "$tuesday" run works -c . --root root --quick --window 0.1 -o json
t "nor is it run for another machine" test ! -e ran
call "$tuesday" explain works -c .
t "explain says what is run" grep -q "^Runs: $work/works (for at most 10 s)" out

plan
