#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Can somebody who knows none of the format write a check by answering questions, and does what comes of it pass lint,
# run, and say what is wrong? Three checks that a user wanted: zombies, a file of cron's, and minor faults with a trace.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
pids=()
finish() {
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null
	rm -rf "$work"
}
trap finish EXIT
tuesday=$BIN/tuesday
cd "$work" || exit 1

# answers NAME OPTION...: the answers, a line each, are standard input.
answers() {
	timeout 20 "$tuesday" new "$@" --ask >out 2>err
	status=$?
}
lint() {
	call "$tuesday" lint "$1.ini"
	t "lint has nothing to say of $1" [ "$status" = 0 ]
}
verdict() {
	call "$tuesday" check "$1.ini" --window 0.3 --windows 2 "${@:2}" -o json
	jq -r '.checks[0].verdict' out
}
# Asks again, up to five times, what another process on a loaded machine may be late for.
comes_to() { # WANTED NAME OPTION...
	local wanted=$1

	shift
	for _ in 1 2 3 4 5; do
		[ "$(verdict "$@")" != "$wanted" ] || return 0
	done
	return 1
}

# One: zombies, with the parent that leaves them. Each wrong answer is said, and asked for again.
answers zombies <<-'END'
	numbr
	number
	Do programs leave ended children behind?
	proceses
	limits
	proces:*.zombies
	process:*.zombis
	process:*.zombies
	> 50
	limit
	< 5
	> 50
	> 5
	> 500

	{instance} does not ask for {value} zombie(s)
	Each keeps a process id until its parent asks for it.
	A book

	A parent that is only busy asks for them later.
END
is "$status" 0 "new writes a check from answers"
is "$(grep -c 'Once more' out)" 8 "and asks again after each that would not be right"
t "with what is wrong" grep -q "unknown source 'proces'; did you mean 'process'" out
t "also of a name that this machine does not have" grep -q "did you mean 'process:\*.zombies'" out
t "but not with the line of a file that is not there" [ "$(grep -c 'zombies.ini:[0-9]' out)" = 0 ]
lint zombies
t "it runs" [ -n "$(verdict zombies)" ]
# A parent that asks for nobody: its children have ended. There may be others on the machine.
others=$(ps -eo ppid=,stat= | awk '$2 ~ /^Z/ { n[$1]++ } END { for (p in n) if (n[p] > most) most = n[p]; print most + 0 }')
perl -e 'for (1 .. 60 + shift) { exit 0 unless fork } $| = 1; print "ready\n"; sleep 60' "$((others < 300 ? others : 300))" >ready &
pids+=($!)
for _ in {1..200}; do
	[ -s ready ] && break
	sleep 0.05
done
t "60 zombies are suspicious" comes_to maybe zombies
t "and their parent is named" [ "$(jq -r '.checks[0].metrics[0].instance_label // .checks[0].summary' out | grep -c "(pid ${pids[0]}")" = 1 ]
kill "${pids[0]}"
wait "${pids[0]}" 2>/dev/null
pids=()

# Two: a number in a file that cron writes, and how old that is.
echo 'Active connections 350' >"$work/nginx.stat"
answers nginx <<-END
	file
	$work/nginx.stat[connections]
	Are the connections of nginx used up?
	limits
	limit
	< 400
	> 600
	> 750
	nginx has {value} connection(s)
	When there are no more, clients are refused.
	nginx.conf: worker_connections 768
	Connections that are idle count, too.
END
is "$status" 0 "a file is a template"
lint nginx
is "$(verdict nginx)" good "350 of 768 are good"
echo 'Active connections 700' >"$work/nginx.stat"
is "$(verdict nginx)" maybe "700 are not"
echo 'Active connections 350' >"$work/nginx.stat"
touch -d '-20 min' "$work/nginx.stat"
is "$(verdict nginx)" maybe "nor is a file that nobody has written for 20 minutes"

# Three: minor faults, with a trace that says who.
answers faults <<-'END'
	trace
	exceptions:page_fault_user
	Does a program fault so often that it is slow?
	memory
	rate(vmstat:pgfault) - rate(vmstat:pgmajfault)
	harm
	< 1000
	> 10000

	{value} minor faults
	Each is a way into the kernel for a page that was never touched.
	measured on an idle machine
	A program that starts touches all of its pages once.
END
is "$status" 0 "a trace is a template"
lint faults
if [ "$(id -u)" = 0 ] && [ -e /sys/kernel/btf/vmlinux ] && command -v python3 >/dev/null; then
	python3 -c '
import mmap, time
print("ready", flush=True)
end = time.time() + 60
while time.time() < end:
    pages = mmap.mmap(-1, 1 << 23)
    for at in range(0, 1 << 23, 4096): pages[at] = 1
    pages.close()
    time.sleep(0.05)' >ready2 &
	pids+=($!)
	for _ in {1..200}; do
		[ -s ready2 ] && break
		sleep 0.05
	done
	traced() {
		for _ in 1 2 3; do
			call "$tuesday" check faults.ini --quick -o json
			jq -e '.checks[0] | (.verdict == "maybe" or .verdict == "bad") and .tier == "trace" and
				any(.culprits[]; .name | test("python"))' out >/dev/null && return
		done
		return 1
	}
	if "$tuesday" lint faults.ini 2>&1 | grep -q 'not checked\|no tracepoint'; then
		skip "the trace names who faults" "the tracepoint exceptions:page_fault_user cannot be looked up here"
	else
		t "the trace names who faults" traced
	fi
else
	skip "the trace names who faults" "needs root, a kernel with BTF, and python3"
fi

# The same by options.
call "$tuesday" new plugin --question 'Is it there?' --area security --exec '/bin/true yes'
t "--exec is a program that answers" [ "$status" = 0 ]
lint plugin
is "$(verdict plugin)" good "  and runs"
call "$tuesday" new mine --like listen --question 'Does mine accept?'
t "--like is a copy" grep -q '^question = Does mine accept' mine.ini
lint mine
call "$tuesday" new mine2 --like lisen
t "  of a check that is there" grep -q "did you mean 'listen'" err
call "$tuesday" new both --like listen --metric 1
t "  without metrics of its own" [ "$status" = 64 ]
call "$tuesday" new age --file /etc/hostname --question 'Is it there?' --area config --maybe '> 1' </dev/null
t "--file is a metric that others are about" grep -q '^maybe *= > 1' age.ini
call "$tuesday" new age2 --file etc/hostname --question q
is "$status" 64 "and a whole path"
call "$tuesday" new alone --trace sched:sched_switch --question q </dev/null
t "--trace wants a number" grep -q -- '--metric' err
call "$tuesday" new ended --ask </dev/null
is "$status" 64 "answers that end too soon write nothing"
t "  which is said" grep -q 'answers ended' err
printf 'number\nIs it "so"?\nmemory\n' | "$tuesday" new early --ask >out 2>err
is "$(grep '^  tuesday new' err)" "  tuesday new early --question 'Is it \"so\"?' --area memory --ask" \
	"  with a command that goes on from the answers"
touch there.ini
call "$tuesday" new there --ask <<<'number'
is "$status,$(grep -c 'What does it look at' out)" "3,0" "a file that is in the way is told of before anything is asked"
printf 'number\nIs it?\nmemory\nloadavg:threads\n' | "$tuesday" new some --ask >out 2>err
is $? 0 "with a question and a number they are enough"
printf 'number\nIs it?\nmemory\nvmstat:no_such\nvmstat:no_such\n' | "$tuesday" new other --ask >out 2>err
is $? 0 "a name of another machine is taken where it is given twice"
call "$tuesday" lint some.ini
t "  and lint says what is left" grep -q "'why' still has the text" err
plan
