#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a person's word about an incident stay, go with the incident and end with it, whatever happens
# to whoever writes it down? Is what was learned from one a check that runs? KILLS: how often a
# retype is killed.
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
unset TUESDAY_STATE_DIR XDG_STATE_HOME SUDO_USER
export TUESDAY_HISTORY_INI=$work/history.ini TUESDAY_TYPES_DIR=$work/types.d TZ=UTC LC_ALL=C USER=alice
: >history.ini
mkdir checks types.d
sidecar=state/types.jsonl

# A machine whose counter says what we want, an hour later each time. machine VALUE [BOOT]
hour=0
machine() {
	local sample

	hour=$((hour + 1))
	for sample in 0 1; do
		mkdir -p "rec/$sample/proc/sys/kernel/random"
		printf 'pgpgin %s\npgpgout 1\n' "$1" >"rec/$sample/proc/vmstat"
		echo "${2:-boot-1}" >"rec/$sample/proc/sys/kernel/random/boot_id"
		echo "$(((100000 + hour * 3600 + sample * 10) * 1000000000))" >"rec/$sample/time"
	done
	printf 'host web7\nkernel 6.1.0\ncpus 4\ntime %s\nid %032x\n' $((1795200000 + hour * 3600)) \
		$((hour + 4096)) >rec/environment
}
check() {
	cat >"checks/$1.ini" <<-EOF
		[check]
		question = Is it?
		area = memory
		next = free -m
		[metric $1_count]
		value = vmstat:$2
		class = harm
		maybe = > 3
		bad = > 10
		say = {value} of $1
		why = Pages are slow.
		source = judgement
		however = Nothing is known.
		[metric $1_now_count]
		value = vmstat:$2
		class = error
		maybe = > 3
		bad = > 10
		say = {value} of $1
		why = Pages are slow.
		source = a book
		however = Nothing is known.
	EOF
}
check pages pgpgin
check other pgpgout

# run: one more run of the machine, kept.
run() {
	"$BIN/tuesday" run pages other -c checks --replay rec --state state -o json "$@"
}
tuesday() {
	local command=$1

	shift
	call "$BIN/tuesday" "$command" --state state "$@"
}
type_of() {
	run | jq -r ".type.$1"
}

# What the rules say.

tuesday types
is "$status" 3 "without a history there is nothing to count"
machine 20
run >first.json
is "$(jq -r .type.current first.json)" ambiguous "the rules derive a type"
t "and say which rule, why, how sure, and what else it may be" jq -e '.type | .derived == .current and
	.rule == 6 and (.why | length > 0) and .confidence == "medium" and .confidence_ratio == 0.5
	and .candidates == ["ambiguous"] and .history[0].reason == "rule 6"' first.json
"$BIN/tuesday" types --rules >rules
t "the rules are printed" grep -q '^4 isolated' rules
rules_are_documented() {
	local doc

	doc=$(cat "$root/docs/types.md")
	[[ $doc = *"$(cat rules)"* ]]
}
t "the page about types has the same rules" rules_are_documented

# Machines of tests/replay. A cache device that fails is nobody's but its own, and a machine that has just started
# is not excused.
"$root/tests/replay/unpack" "$work/machines" l2arc-failed memory-booted
is "$("$BIN/tuesday" run l2arc --replay machines/l2arc-failed -o json | jq -r '.type | .derived, .why' | paste -sd:)" \
	"isolated:only l2arc in 'the L2ARC'; everything else was examined and is good" \
	"an error of an L2ARC device is isolated, and not major"
is "$("$BIN/tuesday" run memory --replay machines/memory-booted -o json | jq -r '.uptime_seconds, .type.derived' | paste -sd,)" \
	"310,major" "harm is major five minutes after a start, too"

# What a person says.

tuesday retype 1 magor --reason x
is "$status" 64 "a type that there is not is refused"
t "with the one that was meant" grep -q "did you mean 'major'?" err
tuesday retype 1 major
is "$status" 64 "so is one without a reason"
tuesday retype 1 major --reason '  '
is "$status" 64 "and one with an empty one"
tuesday retype 77 major --reason x
is "$status" 3 "a run that there is not is refused"
t "by its name" grep -q "no run '77'" err
t "nothing was written" test ! -e "$sidecar"
sqlite3 state/history.db 'SELECT hex(json) FROM reports' | sha256sum >before
evil=$'checkout "down"\e[31m\n{"type":"internal"}\xff\u202e'
tuesday retype last time-bomb --reason "$evil" --ref 'INC-42'
is "$status" 0 "a person changes the type"
is "$(stat -c %a "$sidecar")" 600 "what was said is nobody else's to write"
is "$(wc -l <"$sidecar")" 1 "hostile text is one line"
is "$(sqlite3 state/history.db 'SELECT hex(json) FROM reports' | sha256sum)" "$(cat before)" \
	"the report is what it was, byte by byte"
machine 21
run >second.json
is "$(jq -r '.type.current, .type.derived' second.json | paste -sd,)" "time bomb,ambiguous" \
	"a later run of the condition has the person's type, and says what it looks like"
is "$(jq -r '.type.history[1] | .by, .ref, .type' second.json | paste -sd,)" "alice,INC-42,time bomb" \
	"and who said so"
is "$(jq -r '.type.history[1].reason' second.json | head -c 19)" 'checkout "down"'$'\e[31' \
	"the reason is kept as it was typed"
run -o text >out
t "the text says both" grep -q 'Time bomb, says alice (.*INC-42): checkout .* the rules say ambiguous' <(tr -s ' \n' ' ' <out)
t "the text is harmless" test -z "$(tr -d '\n' <out | LC_ALL=C tr -dc '\000-\037\177')"
run -o prometheus >out
t "Prometheus has both" grep -q '^tuesday_report_type_info{type="time bomb",derived="ambiguous"} 1$' out
if command -v promtool >/dev/null; then
	t "promtool reads it" promtool check metrics <out
else
	skip "promtool reads it" "promtool is not installed"
fi
SUDO_USER=bob tuesday retype last major --reason 'all of them'
is "$(type_of current)" major "the last word counts"
is "$(run | jq -r '[.type.history[].by] | join(",")' | sed 's/^[^,]*,//')" alice,bob "and both are kept"
tuesday types last
t "types tells what was said of a run" test "$(grep -c '^  \(time bomb\|major\) ' out)" = 2
t "harmlessly" test -z "$(tr -d '\n' <out | LC_ALL=C tr -dc '\000-\037\177')"

# When it ends.

machine 0
for _ in 1 2; do run >/dev/null; done
machine 20
is "$(type_of current)" major "two good runs do not end it"
machine 0
for _ in 1 2 3; do run >/dev/null; done
machine 20
is "$(type_of current)" ambiguous "three do: what comes then is new"
tuesday retype last internal --reason 'a test'
is "$(type_of current)" internal "it can be said anew"
machine 20 boot-2
is "$(type_of current)" ambiguous "after a reboot it is another condition"
tuesday retype 1 isolated --reason 'after all'
machine 20
is "$(type_of current)" internal "a word about what is over changes nothing now"

# Counting.

tuesday types --json --since 2020-01-01
t "types counts conditions, not runs" jq -e '.schema == "tuesday-types/1" and .incidents == 2 and
	.runs > 5 and .retyped == 1 and .disagreed == 1' out
t "and what became of what was derived" jq -e '.matrix == [{"derived":"ambiguous",
	"final":"isolated","incidents":1},{"derived":"ambiguous","final":"ambiguous","incidents":1}]' out
machine 0
run >/dev/null
tuesday retype last major --reason 'nobody could log in'
tuesday types --json --since 2020-01-01
t "what the rules did not see is counted too" jq -e '.matrix[-1] == {"derived":"none",
	"final":"major","incidents":1}' out
tuesday types --since 2020-01-01
t "the table has it" grep -q '^  none .* 1 ' out

# Hints.

printf '[major]\ninvite = everybody\n' >types.d/10.ini
printf '[major]\nnotes = the \033 bridge\n[internal]\ninvite = nobody\n' >types.d/20.ini
machine 20
t "a file of hints with a mistake is told" grep -q '20.ini:2' <(run 2>&1 >/dev/null)
printf '[time bomb]\nnotes = x\n[internal]\ninvite = those who test\nnotes = it ends ; by itself\n' >types.d/20.ini
t "hints are those of the type in force" jq -e '.type.invite == "those who test" and
	.type.notes == "it ends ; by itself"' <(run)
run -o text >out
t "they stand in the footer" grep -q '^Invite: those who test' out

# When a time bomb is due.

cat >checks/room.ini <<-EOF
	[check]
	question = Is there room?
	area = disk
	[metric full_ratio]
	value = vmstat:pgpgin / 1000
	class = limit
	maybe = > 80%
	bad = > 85%
	source = a book
	why = because
	however = nothing
EOF
for ((i = 0; i < 30; i++)); do
	machine $((900 + i))
	"$BIN/tuesday" run room -c checks --replay rec --state filling -o json >bomb.json
done
t "a limit that is passed is a time bomb" jq -e '.type.current == "time bomb"' bomb.json
# 929 of 1000 and one more each hour: 71 hours.
due=$(($(jq -r '.type.due | fromdate' bomb.json) - $(jq -r '.time | fromdate' bomb.json)))
t "it is due when its trend reaches the end ($due s)" test "$due" -gt $((60 * 3600)) -a "$due" -lt $((80 * 3600))

# Learning.

machine 20
run >/dev/null
tuesday learn 1 -c checks -o recent-pages.ini
is "$status" 0 "an incident is written down"
t "with the value that it had" grep -q '^; It was 20; the limit of bad was 10' recent-pages.ini
t "what accused most, and no more" test "$(grep -c '^\[metric' recent-pages.ini)" = 1
t "its source is the incident" grep -q '^source   = INC-42; limits of check pages: a book' recent-pages.ini
t "it ends" grep -q '^expires  = 20' recent-pages.ini
t "it has the kernel" grep -q 'Linux 6.1.0' recent-pages.ini
t "it asks for what only a person knows" grep -q 'Say here' recent-pages.ini
# left_to_write: how many lines of lint ask for a text, and how many say something else. None at all is no answer.
left_to_write() {
	"$BIN/tuesday" lint recent-pages.ini >lint.out 2>&1
	echo "$? $(grep -c 'to be replaced' lint.out | sed 's/[1-9].*/some/') $(grep -vc -e 'to be replaced' \
		-e 'counter vmstat:pgpgin raw' lint.out)"
}
is "$(left_to_write)" "2 some 0" "lint finds what is left to write, and nothing else that its first check did not have"
is "$("$BIN/tuesday" check recent-pages.ini --replay rec -o json | jq -r '.checks[0].verdict')" bad \
	"it finds the incident again"
sum=$(sha256sum <recent-pages.ini)
tuesday learn 1 -c checks -o recent-pages.ini
is "$status,$(sha256sum <recent-pages.ini)" "3,$sum" "it overwrites nothing"
tuesday learn 1 -c checks -o recent-pages.ini --force --ref $'; [x]\n#y = z \e[1m'
is "$status" 0 "but where it is forced"
is "$(left_to_write)" "2 some 0" "and a hostile reference does no harm"
tuesday learn 1 -c checks -o disk.ini
t "a name that a check has is refused" grep -q "change the existing check 'disk'" err
machine 0
run >/dev/null
tuesday learn last -c checks -o -
t "from nothing nothing is learned" grep -q 'accused nothing' err
machine 20
sed -i 's/^pgpgout .*/pgpgout 5/' rec/?/proc/vmstat
for check in pages other pages; do
	"$BIN/tuesday" run $check -c checks --replay rec --state shared >/dev/null
done
call "$BIN/tuesday" learn last --state shared -c checks -o -
t "what another run between accused of is not learned" grep -Eq '^value +.*pgpgin' out
t "  but what this one did" grep -q 'the numbers are those of run 1' err
tuesday learn 77 -o -
is "$status" 3 "a run that there is not is none"

# Whatever happens.

lines=$(wc -l <"$sidecar")
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$BIN/tuesday" retype 1 major --reason "at once $i" --state state >/dev/null &
	pids[i]=$!
done
wait "${pids[@]}"
is "$(($(wc -l <"$sidecar") - lines))" 12 "of twelve at once each is kept"
works "and whole" jq -e . "$sidecar"
lines=$(wc -l <"$sidecar") told=0
for ((i = 0; i < kills; i++)); do
	: >killed
	"$BIN/tuesday" retype 1 major --reason "killed $i" --state state >killed 2>/dev/null &
	pid=$!
	sleep "0.00$((RANDOM % 10))"
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	[ ! -s killed ] || told=$((told + 1))
done
added=$(($(wc -l <"$sidecar") - lines))
t "of $kills that were killed at some moment each that had told is kept ($told, $added)" \
	test "$added" -ge "$told"
printf '{"run":"torn' >>"$sidecar"
tuesday retype 1 isolated --reason 'after a torn line'
is "$(tail -n 1 "$sidecar" | jq -r .reason)" 'after a torn line' "a torn line spoils no other"
tuesday types
t "and is told" grep -q '1 line of what people said cannot be read' out
is "$("$BIN/tuesday" types 1 --json --state state | jq -r .current)" isolated "the last word is read"

mkdir full
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m,mode=755 none full 2>/dev/null; then
	mounted=1
	cp -r state/. full/
	head -c 2M /dev/zero >full/filler 2>/dev/null
	reason=$(printf 'x%.0s' {1..450})
	for _ in {1..12}; do
		"$BIN/tuesday" retype 1 major --reason "$reason" --state full >/dev/null 2>full.err || break
	done
	t "a full disk is told" grep -q 'No space left on device' full.err
	is "$(tail -c 1 full/types.jsonl | od -An -c | tr -d ' ')" '\n' "and leaves no half of a line"
	works "what was there is whole" sh -c 'grep -v torn full/types.jsonl | jq -e .'
	umount full && mounted=
else
	skip "a full disk is told" "cannot mount a tmpfs"
fi

if [ "$(id -u)" = 0 ]; then
	chown 65534 "$sidecar"
	tuesday retype 1 major --reason x
	is "$status" 3 "another user's file is not added to"
	tuesday types
	is "$status" 3 "nor believed"
	machine 20
	is "$(type_of current 2>/dev/null)" ambiguous "by no run either"
	chown 0 "$sidecar"
	ln -sf /etc/passwd state/link && mv state/link "$sidecar"
	tuesday retype 1 major --reason x
	is "$status" 3 "a link is not followed"
	mkdir theirs && chown 65534 theirs
	cp -r rec checks theirs/ && chown -R 65534 theirs && chmod 755 .
	theirs() {
		(cd theirs && HOME=$work/theirs setpriv --reuid=65534 --clear-groups "$BIN/tuesday" "$@")
	}
	theirs run pages -c checks --replay rec --state state >/dev/null
	works "an ordinary user has types of their own" theirs retype last major --reason x --state state
	theirs retype last major --reason x --state "$work/state" >/dev/null 2>err
	is "$?" 3 "and not root's"
else
	skip "another user's file is not added to" "needs root"
fi
plan
