#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the program keep its promises to who types, pipes, interrupts, kills or distrusts it?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
unset NO_COLOR TUESDAY_WITHOUT
for program in jq script setpriv; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d /var/tmp/tuesday-cli.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cp "$BIN/tuesday" "$work/copy"
tuesday=$BIN/tuesday
replay=$work/listen
words='good|maybe|bad|unknown|skip'
for name in listen healthy cpu; do
	mkdir "$work/$name"
	tar -xzf "$root/tests/replay/$name.tar.gz" -C "$work/$name" --no-same-owner
done
# A pipe that never says anything: an option may not wait for input.
cd "$work" || exit 1

answers() {
	[ "$status" = 0 ] && [ ! -s err ] && grep -Eq "$1" out
}

misused() {
	[ "$status" = 64 ] && [ ! -s out ] && grep -q -- "$1" err
}

lacks_file() {
	[ "$status" = 3 ] && [ ! -s out ] && grep -q -- "$1: No such file" err
}

# The verdict of a JSON report and the exit status are the same.
status_fits() {
	[ "$status" = "$(jq -r '{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict]' "${1:-out}")" ]
}

has() {
	jq -e "$1" "${2:-out}" >/dev/null
}

# Help, version, misuse.

help_version_misuse() {
	local name=$1

	shift
	call "$@" --help
	t "$name --help prints usage" answers "^Usage: ${name% *}"
	call "$@" -h
	t "$name -h does the same" answers '^Usage: '
	call "$@" --no-such-option
	t "$name refuses an option that is not there" misused no-such-option
}

help_version_misuse tuesday "$tuesday"
for command in run list explain config lint check; do
	help_version_misuse "tuesday $command" "$tuesday" "$command"
	call "$tuesday" "$command" --version
	t "tuesday $command --version prints it" answers '^tuesday [^ ]+$'
done
for health in "$BIN"/*health; do
	name=$(basename "$health")
	help_version_misuse "$name" "$health"
	call "$health" --version
	t "$name --version prints it" answers '^tuesday [^ ]+$'
	call "$health" something
	if [ "$name" = spanhealth ] || [ "$name" = stackhealth ]; then
		t "$name takes files" lacks_file something
	else
		t "$name takes no operand" misused something
	fi
done
call "$tuesday" --version
t "tuesday --version prints it" answers '^tuesday [^ ]+$'
call "$tuesday" --help
for command in run list explain config lint check; do
	t "tuesday --help has the command $command" answers "^  $command "
done

while read -r option wanted; do
	call "$tuesday" run "$option"
	t "run $option is refused" misused "$wanted"
done <<-'END'
	--windows=0 windows
	--windows=1001 windows
	--windows=-1 windows
	--windows=1e3 windows
	--windows= windows
	--window=0 window
	--window=0.01 window
	--window=nan window
	--window=inf window
	--window=2x window
	--window=4000 window
	--color=blue color
	--quick=1 quick
	-oxml xml
	-o option
	--record record
END
while read -r one other; do
	call "$tuesday" run "$one" "$other"
	t "run $one $other is refused" misused "${one%%=*}"
done <<-'END'
	--deep --no-trace
	--replay=x --record=y
	--replay=x --root=/y
	--quiet --verbose
END
call "$tuesday" check
t "check wants a file" misused 'file'
call "$tuesday" check one two
t "check wants one file" misused 'file'

call "$tuesday" lits
t "a command with a typing error is suggested" misused "did you mean 'tuesday list'"
call "$tuesday" dsk
t "so is a check" misused "did you mean 'tuesday disk'"
call "$tuesday" zzzzzz
t "an unknown command is refused without a suggestion" misused zzzzzz
for command in run list explain config; do
	call "$tuesday" "$command" cpuu
	t "$command suggests a check for a typing error" misused "did you mean 'cpu'"
done
call "$tuesday" run -o jsno
t "a format with a typing error is suggested" misused "did you mean 'json'"

call "$tuesday" run --depe
t "an option with a typing error is suggested" misused "did you mean '--deep'"
call "$tuesday" run -qZv
t "the letter that is no option is named" misused "'-Z'"
call "$tuesday" run --windows
t "an option without its value is refused" misused 'wants a value'

# Nothing of the command line gets to a terminal that could change it.

harmless() {
	! LC_ALL=C grep -q $'[\001-\010\013-\037\177]\|\302\233\|\342\200\256' err &&
		grep -q 'x1b.31mred\|[?].31mred' err
}
evil=$'\033[31mred\302\233\342\200\256'
while read -r line; do
	read -ra typed <<<"${line//EVIL/$evil}"
	call "$tuesday" "${typed[@]}"
	t "'${line//EVIL/...}' is answered without a control character" harmless
done <<-'END'
	EVIL
	run EVIL
	list EVIL
	explain EVIL
	run --EVIL
	run --quick=EVIL
	run --windows=EVIL
	run -o EVIL
	run --color=EVIL
	run --replay EVIL
	run --root EVIL
	list -c EVIL
	lint EVIL
	check EVIL
	try EVIL
	new EVIL
	redact EVIL out
	report EVIL.json
	report --since EVIL
	report --replay listen --html EVIL/page
	record recorded --while EVIL
	run cpu --replay listen --to EVIL/report
END
call "$BIN/cpuhealth" "$evil"
t "a word too many is answered without a control character" harmless

# What is printed about the checks, and to whom.

call "$tuesday" --help
sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' out >commands
t "the commands of --help are all there" [ "$(grep -hc '^COMMAND(' "$root"/tools/*.c | awk '{ n += $1 } END { print n }')" = \
	"$(wc -l <commands)" ]
mkdir refused
printf '[check]\nquestion = Is it?\n[metric a_count]\nvalue = vmsat:x\n' >refused/wrong.ini
for command in list explain config; do
	call "$tuesday" "$command" -c refused
	t "$command says by its exit status that a file was refused" [ "$status" = 3 ]
	t "  and which one, and goes on with the others" \
		eval "grep -q '^refused/wrong.ini:4: ' err && [ \$(wc -l <out) -gt 30 ]"
done

for command in list explain config lint; do
	call bash -c "set -o pipefail; { '$tuesday' $command; echo \$? >status; } | head -n 1"
	t "$command | head -1 ends without a word of complaint" [ ! -s err ]
	t "  and has printed one line" [ "$(wc -l <out)" = 1 ]
done
call bash -c "{ sleep 0.2; '$tuesday' explain; } | true"
t "explain to a pipe that nobody reads ends without a word" [ ! -s err ]

call "$tuesday" list
t "list has a line for each check" [ "$(wc -l <out)" = "$(find "$root"/checks.d -name '*.ini' | wc -l)" ]
t "list says each check's question" \
	[ "$(grep -Ec '[?]( [(](only when it is named|only of files that it is given|until [0-9-]+)[)])*$' out)" = "$(wc -l <out)" ]
call "$tuesday" list cpu tcp
t "list can be asked for some" [ "$(cut -d' ' -f1 out | tr '\n' ' ')" = "cpu tcp " ]
call "$tuesday" explain disk
t "explain says where limits come from" answers 'source|Source'
call "$tuesday" explain defunct
t "explain finds a metric by a keyword" answers 'zombies_count'
call "$tuesday" list 'oom killer'
t "list finds checks by a keyword" answers '^memory '
call "$tuesday" explain disk
cp out explained
call "$BIN/diskhealth" --explain
t "diskhealth --explain says the same" cmp -s out explained

# Every key of "config" against the line that it names. One awk, since there are thousands.
lines_are_true() {
	awk -v shipped="$root/checks.d/" '
	function read_file(file, path, line, n)
	{
		path = (getline line <file) < 0 ? shipped file : file
		close(path)
		while ((getline line <path) > 0)
			text[file, ++n] = line
		close(path)
	}
	/^; .*:[0-9]+$/ { place = substr($0, 3); next }
	/^\[|^; |^$|^ / { next }
	{
		key = $0
		sub(/ *= .*| *=$/, "", key)
		match(place, /[0-9]+$/)
		line = substr(place, RSTART)
		file = substr(place, 1, RSTART - 2)
		if (!(file in known))
			read_file(file)
		known[file]
		keys++
		if (index(text[file, line], key) != 1 || substr(text[file, line], length(key) + 1) !~ /^ *=/) {
			print file ":" line " has no " key
			wrong = 1
		}
	}
	END { exit wrong || !keys }' out >wrong && return
	why <wrong
	return 1
}
for check in "$root"/checks.d/*.ini; do
	check=$(basename "$check" .ini)
	call "$tuesday" config "$check"
	t "config $check gives file and line of each key" lines_are_true
done
# What config prints is a check file, which says the same.
mkdir printed
for check in "$root"/checks.d/*.ini; do
	"$tuesday" config "$(basename "$check" .ini)" >"printed/$(basename "$check")"
done
call "$tuesday" lint printed/*.ini
t "what config prints is what lint accepts" [ "$status/$(grep -c ': ok$' out)" = "0/$(find printed -type f | wc -l)" ]
grep -v ': ok$' out | head -n 5 | why
call "$tuesday" config cpu listen
grep -v '^;' out >shipped-says
call "$tuesday" config cpu listen -c printed
t "and says the same as before" sh -c 'grep -v "^;" out | cmp -s - shipped-says'
# The shipped files were taken apart when the program was built: their texts, laid over that as a layer, may
# change nothing, and leave no key that is only in the program.
mkdir copies
cp "$root"/checks.d/*.ini "$root"/checks.d/*/*.ini copies
mapfile -t shipped < <(basename -as .ini copies/*.ini)
call "$tuesday" config
cp out config.shipped
call "$tuesday" config -c copies
t "no key is in the program that no shipped file has" \
	[ "$(grep '^; .*:[0-9]*$' out | grep -Evc '^; copies/[a-z0-9-]+\.ini:[0-9]+$')" = 0 ]
sed 's|^; copies/|; |' out >config.copies
t "  and each is there, as it stands in its line" cmp -s config.copies config.shipped
call "$tuesday" explain "${shipped[@]}"
cp out explain.shipped
call "$tuesday" explain "${shipped[@]}" -c copies
t "  they declare the same checks" cmp -s out explain.shipped
for options in '' '--deep'; do
	# shellcheck disable=SC2086
	call "$tuesday" run $options --replay "$replay" -o json
	jq '.checks' out >checks.shipped
	# shellcheck disable=SC2086
	call "$tuesday" run $options --replay "$replay" -c copies -o json
	jq '.checks' out >checks.copies
	t "  which say the same of a machine${options:+, $options}" cmp -s checks.shipped checks.copies
done
mkdir layer
printf '[metric pressure_some_ratio]\nmaybe = > 99%%\nacquit =\n' >layer/cpu.ini
call "$tuesday" config cpu -c layer
t "config shows keys of another layer with their lines" lines_are_true
t "  the layer's value is in force" [ -n "$(grep -A1 'layer/cpu.ini:2$' out | grep '^maybe *= > 99%')" ]
t "  and an empty one has gone" \
	[ "$(sed -n '/^.metric pressure_some_ratio/,/^\[/p' out | grep -c '^acquit')" = 0 ]
printf '[check]\nenabled = no\n' >layer/tcp.ini
call "$tuesday" run --replay "$replay" -c layer -o json
t "a check that is switched off does not run" has 'all(.checks[]; .check != "tcp")'

# The formats, all of the same recordings.

required='.schema == "tuesday/1" and ([.version, .host, .kernel, .time, .verdict] | all(type == "string"))
	and ([.duration_seconds, .window_seconds, .windows, .cost.cpu_seconds, .cost.wall_seconds] |
		all(type == "number")) and ([.checks, .exonerated, .errors] | all(type == "array"))
	and all(.checks[]; (.verdict | IN("good", "maybe", "bad", "unknown", "skip")) and .check
		and (.exonerated | type == "boolean")
		and ([.metrics, .culprits, .howevers, .next] | all(type == "array")))'
# shellcheck disable=SC2016
worst='(["skip", "good", "unknown", "maybe", "bad"] | to_entries | map({(.value): .key}) | add) as $rank
	| .verdict == (.checks | max_by($rank[.verdict]) | .verdict)'

test_json() {
	call "$tuesday" run --replay "$1" -o json
	cp out "$1.json"
	t "$1: the JSON has what the schema promises" has "$required"
	t "$1: it is one line of ASCII" [ "$(wc -l <out) $(tr -d '\n\040-\176' <out | wc -c)" = "1 0" ]
	t "$1: nothing is null or empty text" has 'all(..; . != null and . != "")'
	t "$1: the verdict is that of the worst check" has "$worst"
	t "$1: the exit status is that of the verdict" status_fits
	t "$1: numbers that may have decimals always do" \
		[ "$(grep -cE '"(value|acquit|maybe|bad|share|[a-z]*_seconds)":-?[0-9]+[,}]' out)" = 0 ]
	t "$1: what is exonerated is in the ledger, and nothing else" \
		has '[.checks[] | select(.exonerated).check] == [.exonerated[].check]'
}

# CHECK VERDICT a line, of the text output with every check.
verdicts_of_text() {
	grep -oE "^($words) +[a-z0-9-]+ " | awk '{ print $2, $1 }' | sort
}
# How many checks are not on the screen.
more_of_text() {
	sed -nE 's/.*More: tuesday run [^(]*\(([0-9]+) more checks?.*/\1/p' | grep . || echo 0
}

test_text() {
	call "$tuesday" run --replay "$1"
	t "$1: the same exit status" status_fits "$1.json"
	t "$1: no escape code and no progress in a pipe" [ "$(tr -cd '\033\r' <out | wc -c)$(wc -c <err)" = 00 ]
	t "$1: the screen counts what accuses" [ "$(($(grep -cE '^(BAD|MAYBE) ' out) + $(more_of_text <out)))" = \
		"$(jq '[.checks[] | select(.verdict == "bad" or .verdict == "maybe")] | length' "$1.json")" ]
	call "$tuesday" run --replay "$1" --ledger
	t "$1: the ledger lists what is exonerated" [ "$(jq -r '[.exonerated[].check] | join(" ")' "$1.json")" \
		= "$(awk '/^Not the cause:/ { on = 1 } on; on && /evidence:$/ { exit }' out | tr -s ' \n' ' ' |
			sed 's/^Not the cause: \(.*\): [0-9]* of [0-9]* examined.*/\1/')" ]
	call "$tuesday" run --replay "$1" -v
	t "$1: the text gives the same verdicts" \
		[ "$(verdicts_of_text <out)" = "$(jq -r '.checks[] | "\(.check) \(.verdict)"' "$1.json" | sort)" ]
	t "$1: --verbose names every metric" [ -z "$(comm -23 \
		<(jq -r '.checks[].metrics[].name' "$1.json" | sort -u) \
		<(sed -n 's/^    \([a-z0-9_]*\)\(\[.*\]\)\{0,1\}\( .*\)\{0,1\}$/\1/p' out | sort -u))" ]
}

quoted="'[^'=|]+'"
number='-?[0-9]+(\.[0-9]+)?'
test_nagios() {
	call "$tuesday" run --replay "$1" -o nagios
	t "$1: the status line is a monitoring plugin's" answers_any \
		"^TUESDAY (OK|WARNING|CRITICAL|UNKNOWN): [^|]+( \|( $quoted=(U|$number(s|%|B|c)?)(;[^; ]*){0,4})*)?$"
	t "$1: its word is the exit status" [ "$(head -n 1 out | cut -d' ' -f2)" = \
		"$(echo OK: WARNING: CRITICAL: UNKNOWN: | cut -d' ' -f$((status + 1)))" ]
	t "$1: and that is the verdict's" status_fits "$1.json"
	t "$1: there is no bar behind the first line" [ "$(sed 1d out | grep -c '|')" = 0 ]
}
answers_any() {
	[ ! -s err ] && head -n 1 out | grep -Eq "$1"
}

label='[a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\["\\n])*"'
sample="[a-z_:][a-z0-9_:]*(\{$label(,$label)*\})? ($number(e[-+]?[0-9]+)?|NaN|[-+]Inf)"
test_prometheus() {
	call "$tuesday" run --replay "$1" -o prometheus
	t "$1: every line is of the exposition format" [ "$(grep -vcE \
		"^(# HELP [a-z_]+ .*|# TYPE [a-z_]+ (gauge|counter)|$sample)$" out)" = 0 ]
	t "$1: no sample stands twice" [ -z "$(grep -v '^#' out | sed 's/ [^ ]*$//' | sort | uniq -d)" ]
	t "$1: the samples of a metric stand together, below its type" families_are_together
	t "$1: each check has one state, the same as in JSON" [ "$(sed -n \
		's/^tuesday_check_state{check="\(.*\)",state="\(.*\)"} 1$/\1 \2/p' out | sort)" = \
		"$(jq -r '.checks[] | "\(.check) \(.verdict)"' "$1.json" | sort)" ]
	t "$1: the exit status is the same" status_fits "$1.json"
}
families_are_together() {
	awk '/^# TYPE/ { if (seen[$3]++) exit 1; now = $3; next }
		/^#/ { next }
		{ sub(/[{ ].*/, ""); if ($0 != now) exit 1 }' out
}

test_line() {
	local verdict

	call "$tuesday" run --replay "$1" -o line
	t "$1: the line is one" [ "$(wc -l <out)" = 1 ]
	for verdict in bad maybe unknown; do
		t "$1: the line has who is $verdict" [ "$(tr '|' '\n' <out | sed -n \
			"s/^ *$verdict //p" | sed 's/([^)]*)//g; s/ *$//')" = "$(jq -r --arg v "$verdict" \
			'[.checks[] | select(.verdict == $v).check] | sort | join(" ")' "$1.json")" ]
	done
	t "$1: the exit status is the same again" status_fits "$1.json"
}

# has_each RECORDING FORMAT PATTERN: as many lines of this pattern as there are checks.
has_each() {
	call "$tuesday" run --replay "$1" -o "$2"
	t "$1: $2 has each check" [ "$(grep -cE "$3" out)" = "$(jq '.checks | length' "$1.json")" ]
}

test_tap() {
	has_each "$1" tap '^(not )?ok [0-9]+ - '
	t "$1: the exit status is the same in TAP" status_fits "$1.json"
}

test_junit() {
	has_each "$1" junit '^<testcase '
	t "$1: the exit status is the same in XML" status_fits "$1.json"
}

test_checkmk() {
	call "$tuesday" run --replay "$1" -o checkmk --services all
	t "$1: checkmk has each check that applies" [ "$(grep -cE '^[0-3] "Tuesday [^"]+" ' out)" = \
		"$(jq '[.checks[] | select(.verdict != "skip")] | length' "$1.json")" ]
	t "$1: a local check ends with 0" [ "$status" = 0 ]
}

test_npd() {
	call "$tuesday" run --replay "$1" -o npd
	t "$1: node-problem-detector has its own exit status" [ "$status" = \
		"$(jq -r '{good: 0, maybe: 0, bad: 1, unknown: 2}[.verdict]' "$1.json")" ]
}

test_svg() {
	call "$tuesday" run --replay "$1" -o svg
	t "$1: the picture is well-formed" xmllint --noout out
	t "$1: each accusation of the screen is in it" [ "$(grep -oE '>(BAD|MAYBE)<' out | wc -l)" = \
		"$("$BIN/tuesday" run --replay "$1" | grep -cE '^(BAD|MAYBE) ')" ]
	t "$1: the exit status is the same in a picture" status_fits "$1.json"
}

for name in healthy listen cpu; do
	for format in json text nagios prometheus line tap junit checkmk npd svg; do
		"test_$format" "$name"
	done
done
call "$tuesday" run --help
t "--help names every format that is tested here" [ "$(sed -n \
	's/^ \{23,26\}\([a-z][a-z]*\)  .*/\1/p' out | sort | tr '\n' ' ')" = \
	"checkmk json junit line nagios npd prometheus svg tap text " ]
call "$tuesday" run cpu --replay listen -o json
t "a named check runs alone" has '[.checks[].check] == ["cpu"]'
call "$tuesday" --replay listen -o line
t "without a command it runs" status_fits listen.json
call "$BIN/listenhealth" --replay listen -o json
t "listenhealth gives the listen check of the whole run" has \
	'.verdict == "bad" and [.checks[].check] == ["listen"]'
t "  and its exit status" status_fits

# --to

echo old >report
chmod 600 report
call "$tuesday" run --replay listen -o json --to report
t "--to replaces a file" has "$required" report
t "  prints nothing" [ ! -s out ]
t "  keeps the exit status" status_fits report
t "  leaves nothing beside it" [ "$(find . -name 'report*')" = ./report ]
t "  and whoever collects it may read it" [ "$(stat -c %a report)" = 644 ]
ln -s report link
call "$tuesday" run --replay listen -o json --to link
t "--to does not follow a link" [ "$status" = 3 ]
t "  says so" grep -q link err
t "  and still prints the result" has "$required"

# On a terminal. script gives it one; what the program is told to send elsewhere does not go there.

# on_terminal TERM COMMAND [FILE]: what a terminal got is in FILE, or in out.
on_terminal() {
	TERM=$1 timeout 20 script -qec "$2" /dev/null >"${3:-out}" 2>/dev/null </dev/null
	status=$?
}
esc=$(printf '\033')
colour="$esc\\[[0-9;]*m"
plain() {
	sed "s/$colour//g" "$1" | tr -d '\r' | verdicts_of_text
}
coloured() {
	grep -q "$colour" out
}
no_escape() {
	[ -s out ] && ! grep -q "$esc" out
}

call "$tuesday" run --replay listen
cp out in_a_pipe
on_terminal xterm "$tuesday run --replay listen"
t "a terminal gets colours" coloured
t "  and the words as well" [ "$(plain out)" = "$(plain in_a_pipe)" ]
t "  and the exit status is the same" status_fits listen.json
on_terminal dumb "$tuesday run --replay listen"
t "a dumb terminal gets none" no_escape
on_terminal xterm "NO_COLOR=1 $tuesday run --replay listen"
t "with NO_COLOR a terminal gets none" no_escape
on_terminal xterm "NO_COLOR= $tuesday run --replay listen"
t "an empty NO_COLOR says nothing" coloured
on_terminal xterm "$tuesday run --replay listen --color=never"
t "--color=never is obeyed" no_escape
on_terminal xterm "$tuesday run --replay listen | cat"
t "a pipe gets none, though there is a terminal" no_escape
call env NO_COLOR=1 TERM=dumb "$tuesday" run --replay listen --color=always
t "--color=always comes before NO_COLOR and TERM" coloured
t "  and has the words" [ "$(plain out)" = "$(plain in_a_pipe)" ]
on_terminal xterm "$tuesday run --replay listen --color=always --to report"
t "--to is coloured only when asked to" grep -q "$colour" report

sampling="$tuesday run tcp --no-trace --windows=4 --window=0.5"
on_terminal xterm "$sampling >stdout" &
on_terminal dumb "$sampling" dumb &
on_terminal xterm "$sampling 2>stderr" terminal &
wait
t "progress is shown on a terminal" grep -q 'sampling counters: [0-9]* %' out
t "  not on standard output" [ "$(grep -c 'sampling' stdout)" = 0 ]
t "  and wiped at the end" [ "$(tail -c 4 out)" = "$(printf '\r\033[K')" ]
t "it is not shown when standard error goes elsewhere" [ ! -s stderr ]
t "  nor put on standard output then" [ "$(grep -c sampling terminal)" = 0 ]
t "a dumb terminal gets no escape code from it" [ "$(grep -c "$esc" dumb)" = 0 ]

# Live runs. They are marked by a word in their environment, which their children inherit. Signals
# are as a shell with job control leaves them.

# launch NAME ARGUMENT...: in the background; $pid.
launch() {
	local name=$1

	shift
	TUESDAY_TEST_MARK=$name.$$ env --default-signal=INT,HUP,TERM,PIPE "$tuesday" "$@" \
		>"$name.out" 2>"$name.err" </dev/null &
	pid=$!
}

# marked NAME: the processes of that run that still live.
marked() {
	local at

	grep -lsaz "^TUESDAY_TEST_MARK=$1\.$$\$" /proc/[0-9]*/environ | while IFS=/ read -r _ _ at _; do
		echo "$at"
	done
}
no_process() {
	[ -z "$(marked "$1")" ]
}

# within SECONDS COMMAND...: whether it succeeds before that.
within() {
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000))

	shift
	until "$@"; do
		[ "${EPOCHREALTIME/./}" -lt "$end" ] || return 1
		sleep 0.02
	done
}

# ends SECONDS: whether the last launched run ends in time; its exit status.
ends() {
	if ! within "$1" gone "$pid"; then
		end
		status="still running after $1 s"
		return 1
	fi
	wait "$pid"
	status=$?
} 2>/dev/null
gone() {
	! grep -qs ') [^ZX] ' "/proc/$1/stat"
}
end() {
	kill -KILL "$pid"
	wait "$pid"
} 2>/dev/null

# The kernel's numbers of the BPF links that these processes hold.
links_of() {
	local at

	for at; do
		sed -n 's/^link_id:[[:space:]]*//p' /proc/"$at"/fdinfo/* 2>/dev/null
	done | sort -u
}

# The child of the last launched run that traces: it holds links that the run itself does not.
tracer_of() {
	local at

	for at in $(marked "$1"); do
		if [ "$at" != "$pid" ] &&
			[ -n "$(comm -13 <(links_of "$pid") <(links_of "$at"))" ]; then
			echo "$at"
			return
		fi
	done
	return 1
}

# Waits until it traces: then $tracer is its child and $links are all links of both.
wait_for_tracer() {
	within 10 tracer_of "$1" >tracer
	tracer=$(cat tracer)
	links=$(links_of "$pid" "${tracer:-0}")
	t "$1: it traces, by BPF links of a child" [ -n "$tracer" ]
}
links_are_gone() {
	local id

	for id in $1; do
		! bpftool link show id "$id" >/dev/null 2>&1 || return 1
	done
}
# SIGINT comes once the first sample is taken: then the handler is there.
is_sampling() {
	find "/proc/$1/fd" -lname '/proc/*' 2>/dev/null | grep -q .
}
use() {
	cp "$1.out" out
	cp "$1.err" err
}

for signal in INT TERM HUP; do
	launch "$signal" run --no-trace --windows=2 --window=60 -o json
	within 5 is_sampling "$pid"
	sleep 0.2
	kill -"$signal" "$pid"
	ends 3
	use "$signal"
	t "SIG$signal in the windows: it ends soon, with a verdict" status_fits
	t "  and says that it was interrupted" has '.interrupted == true and .windows == 1'
	t "  and what is known so far" has "$required"
done
launch text run --no-trace --windows=2 --window=60
within 5 is_sampling "$pid"
kill -INT "$pid"
ends 3
use text
t "the text says it, too" grep -qi interrupted out

# Ctrl-C in a terminal goes to all of the foreground, the shell too: the character 3 as it is typed,
# once the progress is seen.
: >out
# shellcheck disable=SC2094
{
	within 10 grep -q sampling out
	printf '\003'
	within 5 grep -q status= out
} | TERM=xterm timeout 20 script -qefc \
	"trap : INT; $tuesday run --no-trace --windows=60 --window=1; echo status=\$?" \
	/dev/null >out 2>/dev/null
status=$?
t "Ctrl-C in a terminal gives a result" grep -qi interrupted out
t "  and the exit status of a verdict" grep -q '^status=[0-3]' out

(
	trap '' HUP
	exec "$tuesday" run --no-trace --windows=2 --window=0.5 -o json >out 2>err
) &
pid=$!
within 5 is_sampling "$pid"
kill -HUP "$pid"
ends 5
t "with nohup a hang-up does not interrupt it" has '.interrupted == null and .windows == 2'

# Rights while it samples.

right_mask=$((1 << 2 | 1 << 17 | 1 << 19 | 1 << 21 | 1 << 30 | 1 << 34 | 1 << 38 | 1 << 39))
# With a GPU CAP_NET_ADMIN too, for its errors.
[ ! -d /sys/class/drm ] || right_mask=$((right_mask | 1 << 12))
rights() {
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/status"
}
if [ "$(id -u)" != 0 ]; then
	for sentence in "while it samples nothing is effective" "only the capabilities that a run needs are kept" \
		"no new privileges"; do
		skip "$sentence" "needs root"
	done
else
	# The first sample is over by then, the next one far away.
	launch rights run --no-trace --windows=2 --window=60
	within 5 is_sampling "$pid"
	sleep 1
	is "$(rights CapEff "$pid")" 0000000000000000 "while it samples nothing is effective"
	is "$((0x$(rights CapPrm "$pid") & ~right_mask))" 0 "only the capabilities that a run needs are kept"
	is "$((0x$(rights CapInh "$pid") | 0x$(rights CapAmb "$pid")))" 0 "none is passed on"
	is "$(rights NoNewPrivs "$pid")" 1 "no new privileges"
	end
fi

# While it traces.

can_trace() {
	[ "$(id -u)" = 0 ] && command -v bpftool >/dev/null && [ -e /sys/kernel/btf/vmlinux ] &&
		bpftool link list >/dev/null 2>&1
}

# The first sample may be under way while sentinels are on.
nothing_is_effective() {
	[ "$(rights CapEff "$tracer")$(rights CapEff "$pid")" = 00000000000000000000000000000000 ]
}

traced_and_interrupted() {
	launch traced run --quick --deep -o json
	wait_for_tracer traced
	t "while it traces nothing is effective" within 5 nothing_is_effective
	is "$((0x$(rights CapPrm "$tracer") & ~(1 << 38 | 1 << 39)))" 0 "the child keeps CAP_BPF at most"
	kill -INT "$pid"
	ends 12
	use traced
	t "SIGINT while it traces: it ends soon, with a verdict" status_fits
	t "  and says that it was interrupted" has '.interrupted == true'
	t "  no process is left" within 2 no_process traced
	t "  and no BPF link" within 5 links_are_gone "$links"
}

interrupted_twice() {
	launch twice run --quick --deep --to "$work/twice.report" -o json
	wait_for_tracer twice
	# A child that does not answer makes it wait, and leaves the time for a second signal.
	kill -STOP "$tracer"
	kill -INT "$pid"
	sleep 0.4
	t "with a child that is stuck it waits a moment" kill -0 "$pid"
	kill -INT "$pid"
	ends 1
	use twice
	t "the second SIGINT ends it at once" [ "$status" = 130 ]
	kill -CONT "$tracer"
	t "  no process is left" within 3 no_process twice
	t "  no BPF link" within 5 links_are_gone "$links"
	t "  and no file" [ "$(find . -name 'twice.report*')" = "" ]
}

stuck_child() {
	launch stuck run --quick --deep -o json
	wait_for_tracer stuck
	kill -STOP "$tracer"
	kill -INT "$pid"
	ends 12
	use stuck
	t "one SIGINT is enough though the child is stuck" status_fits
	t "  no process is left of it" within 2 no_process stuck
	t "  and no BPF link" within 5 links_are_gone "$links"
}

killed() {
	echo old >killed.report
	launch killed run --quick --deep --to "$work/killed.report" -o json
	wait_for_tracer killed
	kill -KILL "$pid"
	ends 2
	t "SIGKILL while it traces: no process is left" within 3 no_process killed
	t "  no BPF link" within 5 links_are_gone "$links"
	t "  the old report is whole, and nothing beside it" \
		[ "$(cat killed.report) $(find . -name 'killed.report*' | wc -l)" = "old 1" ]
}

if can_trace; then
	traced_and_interrupted
	interrupted_twice
	stuck_child
	killed
else
	skip "interrupted and killed while it traces" "needs root, bpftool and a kernel with BTF"
fi

# As an ordinary user, and as one with two capabilities.

as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" != 0 ]; then
	as_nobody=()
fi
call "${as_nobody[@]}" "$work/copy" run --quick --deep -o json
cp out nobody.json
t "an ordinary user gets a verdict" status_fits
t "  counters answer" has '[.checks[] | select(.tier == "counters")] | length >= 4'
t "  nothing claims to have traced" has 'all(.checks[]; .tier != "trace")'
t "  what is missing is named, and how to grant it" has \
	'[.checks[] | select(.missing)] | length > 0 and
		all(.[]; .missing | contains("CAP_BPF") and contains("CAP_PERFMON") and contains("root"))'
t "  what could not be looked at says why" has \
	'all(.checks[]; .verdict != "unknown" or (.reason | length > 5))'
if can_trace; then
	call "${as_nobody[@]}" --inh-caps=+bpf,+perfmon --ambient-caps=+bpf,+perfmon \
		"$work/copy" run cpu --quick --deep -o json
	t "with CAP_BPF and CAP_PERFMON, as was said, an ordinary user traces" has \
		'.checks[0].cost.trace_seconds > 0'
else
	skip "with CAP_BPF and CAP_PERFMON an ordinary user traces" "needs root and BTF"
fi

plan
