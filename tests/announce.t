#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is what was announced said in every report of its time, does it hide nothing, and end by itself?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset TUESDAY_STATE_DIR XDG_STATE_HOME SUDO_USER
export TUESDAY_HISTORY_INI=$work/history.ini TUESDAY_TYPES_DIR=$work/types.d TZ=UTC LC_ALL=C USER=alice
printf '[cron]\nrise = 1/1\nfall = 1\n' >history.ini
mkdir checks
cat >checks/pages.ini <<-EOF
	[check]
	question = Is it?
	area = memory
	next = free -m
	[metric pages_count]
	value = vmstat:pgpgin
	class = harm
	maybe = > 3
	bad = > 10
	say = {value} of pages
	why = Pages are slow.
	source = a book
	however = Nothing is known.
EOF

# machine VALUE MINUTES: as it is so long from now.
now=$(date +%s)
machine() {
	local sample

	for sample in 0 1; do
		mkdir -p "rec/$sample/proc/sys/kernel/random"
		printf 'pgpgin %s\n' "$1" >"rec/$sample/proc/vmstat"
		echo boot-1 >"rec/$sample/proc/sys/kernel/random/boot_id"
		echo "$(((100000 + ($2 + 1000) * 60 + sample * 10) * 1000000000))" >"rec/$sample/time"
	done
	printf 'host web7\nkernel 6.1.0\ncpus 4\ntime %s\nid %032x\n' $((now + $2 * 60)) $(($2 + 4096)) >rec/environment
}
run() {
	"$BIN/tuesday" run pages -c checks --replay rec --state state "$@"
}
announce() {
	call "$BIN/tuesday" announce --state state "$@"
}
said() {
	run -o json | jq -r "$1"
}
# has TEXT FILE: the text, however the lines are broken.
has() {
	tr -s '\n ' ' ' <"$2" | grep -qF "$1"
}
is_calm() {
	test -z "$(tr -d '\n\t' <"$1" | LC_ALL=C tr -dc '\000-\037\177')"
}

# The command.

announce --list
is "$(cat out)" "Nothing is announced." "at first nothing is announced"
announce
is "$status" 64 "it has to be said what it is"
announce "rollout of shop 4.2"
is "$status" 64 "and when it ends"
t "which is said" grep -q 'an announcement must end' err
announce "rollout of shop 4.2" --for 2h --until 23:59
is "$status" 64 "by one end"
announce rollout of shop --for 2h
is "$status" 64 "in one word"
announce "$(head -c 201 /dev/zero | tr '\0' x)" --for 2h
is "$status" 64 "that is not too long"
announce x --until '2h'
is "$status" 64 "a time that is past is no end"
announce --end --for 2h
is "$status" 64 "what is over takes no time"
t "nothing was written" test ! -e state/announced

machine 1 -10
run >/dev/null
announce "rollout of shop 4.2" --for 30min
is "$status" 0 "a rollout is announced"
t "it is said by whom and until when" grep -q "^'rollout of shop 4.2' by alice, since .*, ends " out
is "$(stat -c %a state/announced)" 600 "it is nobody else's to write"
announce --list
t "it is listed" grep -q "^'rollout of shop 4.2' by alice" out

# Reports of its time.

machine 1 1
run >out
t "a report of its time says so" grep -q "^During what was announced: 'rollout of shop 4.2' (by alice, since" out
machine 20 2
run >out
is "$?" 2 "what is bad is bad, and so is the exit status"
t "the text says that it began since" has 'What is wrong was not there before' out
is "$(said '.verdict, .type.derived, .accused_began, .announced[0].what, .announced[0].by' | paste -sd,)" \
	"bad,internal,since,rollout of shop 4.2,alice" "what began after it is of type internal"
is "$(said '.announced[0].until[0:16]')" "$(date -u -d "@$((now + 1800))" +%Y-%m-%dT%H:%M)" "programs know when it ends"
run --cron >out 2>err
t "cron says it beside the news" grep -q "^during what was announced: 'rollout of shop 4.2' (by alice" out
t "and the news all the same" grep -q '^  bad ' out
is "$("$BIN/tuesday" run pages -c checks --replay rec -o json | jq -r '.announced')" null \
	"what is announced here is not said of a recording of another machine"

# What was there before is not its doing, and where nobody knows it is said.
cp -r state before
rm -f before/history.db*
run_before() {
	"$BIN/tuesday" run pages -c checks --replay rec --state before "$@"
}
is "$(run_before -o json | jq -r '.type.derived, .type.candidates[0], .accused_began' | paste -sd,)" "major,internal,null" \
	"without an earlier run nobody knows: a candidate, and no more"
rm -f before/history.db*
machine 20 -10
run_before >/dev/null
machine 20 2
is "$(run_before -o json | jq -r '.type.derived, .accused_began' | paste -sd,)" "major,before" \
	"what was bad before the rollout is no rollout's"

# Its end.
machine 20 40
is "$(said '.type.derived, .announced' | paste -sd,)" "major,null" "it ends by itself, and what is left is not excused"
announce "$(printf 'evil \033[31m\nnot ok 1\xff\xe2\x80\xae')" --until "$(date -d "@$((now + 7200))" +'%Y-%m-%d %H:%M')"
is "$status" 0 "a time of the clock is an end as well"
announce --list
is "$(wc -l <out)" 2 "hostile text is one line"
t "and harmless" is_calm out
machine 1 3
for format in text json line nagios prometheus tap checkmk npd junit; do
	run -o "$format" >out
	t "so it is in $format" is_calm out
done
announce --end
is "$status" 3 "of two it must be said which is over"
announce --end nonesuch
is "$status" 3 "one that there is"
announce --end "rollout of shop 4.2"
is "$status" 0 "one is over"
announce --end
is "$status" 0 "the only one needs no name"
announce --list
is "$(cat out)" "Nothing is announced." "nothing is left"

# The history still marks when it was.
"$BIN/tuesday" history --state state --since 2h >out
t "the history marks the time" grep -q "^  announced .*==* .*'rollout of shop 4.2' by alice" out
t "and shows no control character" is_calm out
is "$("$BIN/tuesday" history --state state --since 2h --json | jq -r '.announced[0].what')" "rollout of shop 4.2" \
	"for programs too"
"$BIN/tuesday" report --state state 3 >out
t "a report of that run says so" has "During what was announced: 'rollout of shop 4.2'" out

# Many at once, too many, a damaged list.
pids=()
for i in {1..20}; do
	"$BIN/tuesday" announce "number $i" --for 2h --state many >/dev/null &
	pids+=($!)
done
wait "${pids[@]}"
is "$("$BIN/tuesday" announce --list --state many | wc -l)" 20 "of twenty at once each is kept"
call "$BIN/tuesday" announce "one more" --for 2h --state many
is "$status" 3 "more are refused"
echo damage >many/announced
call "$BIN/tuesday" announce --list --state many
t "a damaged list announces nothing, and says so" grep -q 'was damaged' err
is "$(cat out)" "Nothing is announced." "and no more"
chmod 666 many/announced
call "$BIN/tuesday" announce --list --state many
is "$status" 3 "a list that others may write to is not believed"

plan
