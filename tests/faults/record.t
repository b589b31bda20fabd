#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a recording whole, taken during what it was meant for, and the same to whoever replays it?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
export LC_ALL=C
unset NO_COLOR
for program in jq setpriv; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
# Two looks at the same mounts are compared: a neighbour's that comes or goes is none of ours.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS:-}" ]; then
	OWN_MOUNTS=1 exec unshare -m "$0"
fi
work=$(mktemp -d /var/tmp/tuesday-record.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cp "$BIN/tuesday" "$work/tuesday"
cd "$work" || exit 1
PATH=$work:$PATH

patience=60

misused() {
	[ "$status" = 64 ] && [ ! -s out ] && grep -q -- "$1" err
}

has() {
	grep -q -- "$1" "$2"
}

# What two reports must have in common: all but what the run itself cost and when it was judged.
essence() {
	jq -S 'del(.cost, .duration_seconds, .replay) | del(.checks[].cost, .checks[].offers)' "$1"
}

# same ONE TWO SENTENCE: two reports say the same, and something.
same() {
	# How the program is called that a command runs is another thing for each that lies elsewhere.
	local called='s#"([^" ]*/)?tuesday ([a-z]+diagnose)#"\2#; s#"[^" ]*/tuesday #"tuesday #'

	if jq -e '.checks | length > 0' "$1" >/dev/null 2>&1 &&
		diff <(essence "$1" | sed -E "$called") <(essence "$2" | sed -E "$called") >difference; then
		pass "$3"
	else
		fail "$3"
		head -n 20 difference | why
	fi
}

# Words on the command line

call tuesday record
t "a directory is wanted" misused 'a directory'
call tuesday record x --while
t "a program is wanted" misused 'a program'
call tuesday record x --for 1s --while true
t "--for and --while exclude each other" misused 'exclude'
call tuesday record x --for 0
t "--for wants a time" misused 'for'
call tuesday record x --for 1h --window 1
t "--for is not longer than what can be recorded" misused 'window'
call tuesday run --redact
t "--redact wants a recording" misused 'record'
call tuesday record x no-such-check
t "an unknown check is misuse" misused 'no check'
t "and nothing was recorded" test ! -e x
call tuesday record x --while /no/such/program
t "a program that is not there is said" has '/no/such/program: No such file' err
is "$status" 3 "and there is no verdict"
rm -rf x

# A time

call tuesday record timed --for 1s --window 0.5 -o json
t "record --for gives a verdict" jq -e '.schema == "tuesday/1" and .windows == 2' out
is "$status" "$(jq '{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict]' out)" "and exits by it"
cp out live.json
samples=(timed/[0-9]*)
traced='any(.checks[]; (.cost.trace_seconds // 0) > 0)'
more=$(jq "if $traced then 1 else 0 end" live.json)
t "two windows are three samples, and one more where something was traced" [ "${#samples[@]}" -ge 3 -a "${#samples[@]}" -le $((3 + more)) ]
call tuesday run --replay timed -o json
same live.json out "a replay says the same, to every number"
call tuesday record timed --for 1s
t "what is there is not recorded over" has 'not empty' err
is "$status" 3 "and there is no verdict"

# As anybody, anywhere: unprivileged, in an empty root directory, with nothing of /proc.
if [ "$(id -u)" = 0 ]; then
	mkdir -p cell
	cp tuesday cell/
	cp -r timed cell/
	chmod -R go+rX cell
	call setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
		./cell/tuesday run --replay cell/timed -o json
	same live.json out "a replay says the same to an ordinary user"
	if unshare -n -m -u -i true 2>/dev/null; then
		call unshare -n -m -u -i chroot cell /tuesday run --replay /timed -o json
		same live.json out "and where there is neither /proc nor a network"
	else
		skip "and where there is neither /proc nor a network" "no namespaces here"
	fi
else
	skip "a replay says the same to an ordinary user" "is one"
	skip "and where there is neither /proc nor a network" "needs root"
fi

# A program

call tuesday record while1 --window 0.3 --no-trace -o json --to report.json \
	--while sh -c 'echo from the program; echo its errors >&2; sleep 2; exit 7' --deep
is "$(cat out)" "from the program" "standard output belongs to the program"
t "what it says on standard error comes through" has '^its errors$' err
t "its exit status is reported" has 'sh ended with exit status 7 after [1-9][0-9]*\.[0-9] s' err
is "$status" "$(jq '{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict]' report.json)" \
	"the verdict is our exit status"
# shellcheck disable=SC2016
t "all of the time was sampled, the last window being short" \
	jq -e '(.windows * .window_seconds) as $sampled |
		.windows >= 3 and $sampled > 1.9 and $sampled <= .duration_seconds' report.json
t "the recording says what was watched" has '^command sh -c' while1/environment
call tuesday run --replay while1 --no-trace -o json
same report.json out "a replay of it says the same"
call tuesday record while2 --no-trace --while true
t "the report goes to standard error" has ' of CPU' err
call tuesday record while3 --no-trace --while sh -c 'kill -KILL $$'
t "a program that was killed is reported" has 'was ended by signal 9' err
call tuesday record while4 --no-trace --while sh -c 'grep -E "CapEff|NoNewPrivs" /proc/self/status'
is "$(cat out)" "$(grep -E 'CapEff|NoNewPrivs' /proc/self/status)" \
	"the program has the rights of its caller, which Tuesday itself gave up"

# An end before its time: the program and the recording both end well. What a script starts in the background
# would ignore the signal.
env --default-signal=INT tuesday record while5 --no-trace --window 0.3 --while \
	sh -c 'trap "echo cleaned; exit 0" TERM INT; touch begun; while :; do sleep 0.1; done' \
	>out 2>err &
pid=$!
for _ in {1..100}; do
	[ -e begun ] && break
	sleep 0.05
done
sleep 0.5
kill -INT "$pid"
wait "$pid"
status=$?
t "an interrupted recording is reported" has '^Interrupted after' err
t "after the program has cleaned up" has '^cleaned$' out
call tuesday run --replay while5 -o json
t "and can be replayed" jq -e '.windows >= 1' out

plan
