#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does keepalivediagnose find a server that makes requests wait behind connections, does it leave all
# others alone, and does it stop?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq openssl
tool=$BIN/keepalivediagnose
[ -x "$tool" ] || skip_all "needs $tool: make first"
begin
cd "$scratch" || exit 1

# diagnose NAME ARGUMENT...: its JSON is NAME.json, its exit status in NAME.status.
diagnose() {
	local name=$1

	shift
	"$tool" -o json "$@" >"$name.json" 2>"$name.err" 8>&- </dev/null
	echo $? >"$name.status"
}

# that SENTENCE NAME JQ_CONDITION
that() {
	if jq -e "$3" "$2.json" >/dev/null 2>&1; then
		pass "$1"
	else
		fail "$1"
		jq -r '"# \(.verdict): \(.summary)", "# \(.howevers)"' "$2.json"
		jq -c '.levels[] | del(.p95_ratio)' "$2.json" | sed 's/^/# /'
		head -c 300 "$2.err"
	fi
}

# exits SENTENCE NAME STATUS
exits() {
	is "$(cat "$2.status")" "$3" "$1"
}

# hoard NAME MODE ADDRESS MILLISECONDS [CERTIFICATE]: five workers, ten in a row.
hoard() {
	start "$1" "$helpers/hoard" "$2" "$3" 5 "$4" 10 55 ${5:+"$5"}
}

bad='.verdict == "bad" and .outcome == "queues"'
ten='.levels[0].kept.in_a_row == 10'
order='.levels[0].kept.order_ratio - .levels[0].closed.order_ratio > 0.2 and .levels[0].order_p < 0.05'

# What is answered at once.
hoard error error 4361 5
hoard garbage garbage 4362 5
hoard early early 4363 5
hoard huge huge 4364 5
hoard silent silent 4365 5
hoard close close 4366 5
hoard trickle trickle 4372 5
diagnose error http://127.0.0.1:4361/
that "a server that answers 500 is left alone at once" error \
	'.verdict == "unknown" and .requests <= 10 and (.summary | contains("500"))'
exits "that is not known" error 3
diagnose garbage http://127.0.0.1:4362/
that "what is no HTTP is said to be none" garbage \
	'.verdict == "unknown" and .requests <= 10 and (.summary | contains("not HTTP"))'
diagnose early http://127.0.0.1:4363/
that "a close without an answer is told" early \
	'.verdict == "unknown" and .requests <= 10 and (.summary | contains("without an answer"))'
diagnose huge http://127.0.0.1:4364/
that "10 GB are not read" huge '.verdict == "unknown" and (.summary | contains("larger"))'
diagnose silent --max-wait 500ms http://127.0.0.1:4365/
that "a server that never answers ends at the guard" silent \
	'.verdict == "unknown" and .requests <= 2 and (.summary | contains("--max-wait"))'
diagnose trickle --max-wait 500ms http://127.0.0.1:4372/
that "so does one that trickles" trickle \
	'.verdict == "unknown" and .requests <= 2 and (.summary | contains("--max-wait"))'
diagnose plain https://127.0.0.1:4366/
that "TLS to a server that has none is told" plain '.verdict == "unknown" and .requests <= 10'
diagnose close http://127.0.0.1:4366/
that "a server that keeps no connection cannot make any wait" close \
	'.verdict == "skip" and .outcome == "never-kept"'
exits "that is no fault" close 0
for name in error garbage early huge silent trickle close; do
	stop "$name"
done
diagnose refused http://127.0.0.1:4361/
that "a refused connection is told" refused \
	'.verdict == "unknown" and .requests <= 5 and (.summary | contains("refused"))'

# What must not be sent.
call "$tool" http://192.0.2.1/
t "another machine is refused, and what would be sent is said" test "$status" = 64 -a \
	"$(grep -c -e '--yes 192.0.2.1' -e 'at most' err)" = 2
call "$tool" --yes 192.0.2.2 http://192.0.2.1/
t "it must be the same name" test "$status" = 64
call "$tool" --dry-run -H 'X-A: b' -X HEAD http://192.0.2.1/x
t "a dry run shows the request and sends nothing" test "$status" = 0 -a \
	"$(grep -c -e '^  HEAD /x HTTP/1.1' -e '^  X-A: b' -e 'Nothing was sent' out)" = 3
call "$tool" -H 'Connection: close' http://127.0.0.1/
t "the header that the test is about cannot be set" test "$status" = 64
call "$tool" http://no-such-host.invalid/
t "a name without an address is told" test "$status" = 3 -a -s err
call "$tool" 127.0.0.1:80
t "what is no URL is told" test "$status" = 64

# The whole way.
hoard inline inline 4367 10
diagnose inline --svg inline.svg --header 'X-Evil: <&">' "http://127.0.0.1:4367/a&b"
that "runs from one connection are found" inline "$bad"
exits "that is bad" inline 2
that "and are ten requests long" inline "$ten"
that "the order decides" inline "$order"
that "how many are served at once is found out" inline '.served_at_once >= 4 and .served_at_once <= 6'
that "the ratio of the tails has an interval above 1" inline '.levels[0].p99_ratio | .low > 1.2 and .high >= .low'
that "it needs few requests" inline '.requests <= 900'
that "remedies have prices" inline '[.server.remedies[] | select(.what and .price)] | length > 2'
that "the process that listens is named" inline '.server.title | contains("hoard")'
that "connecting, ports and the pool are ruled out" inline \
	'[.lookalikes[] | select(.name == ("connecting", "ports", "pool")) | .is] == ["no", "no", "no"]'
t "the picture has the requests, escaped" test "$(grep -c 'class="wait"' inline.svg)" -gt 20 -a \
	"$(grep -c '/a&amp;b' inline.svg)" -gt 0
if command -v xmllint >/dev/null; then
	works "the picture is XML" xmllint --noout inline.svg
else
	skip "the picture is XML" "xmllint is not installed"
fi
"$tool" -c 10 http://127.0.0.1:4367/ >interrupted.out 2>&1 8>&- &
interrupted=$!
sleep 2.5
kill -TERM "$interrupted" # a shell lets what is in the background ignore Ctrl-C
wait "$interrupted"
t "Ctrl-C ends it with what is known" grep -q 'stopped early: interrupted' interrupted.out
stop inline

# Others at the same time, since all of them sleep.
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 1 \
	-subj /CN=localhost >/dev/null 2>&1
cat key.pem certificate.pem >both.pem
hoard tls inline 4368 20 both.pem
hoard unix inline "$scratch/socket" 20
hoard fair fair 4369 20
hoard slow slow 4370 20
diagnose tls -c 10 https://localhost:4368/ &
jobs=$!
diagnose unix -c 10 --unix "$scratch/socket" http://localhost/ &
jobs="$jobs $!"
diagnose fair -c 10 --rate 70% http://127.0.0.1:4369/ &
jobs="$jobs $!"
diagnose slow -c 10 http://127.0.0.1:4370/ &
jobs="$jobs $!"
# shellcheck disable=SC2086
wait $jobs
that "it is found through TLS" tls "$bad and $ten"
that "what TLS costs is known, and is not it" tls 'any(.lookalikes[]; .name == "tls" and .is == "no")'
that "it is found on a Unix socket" unix "$bad and $ten"
that "a fair server is not bad, slow as it is" fair '.verdict == "good" or .verdict == "unknown"'
that "nor in the open loop" fair '.levels[1].rate_per_second > 0 and .levels[1].outcome != "queues"'
that "a small pool was tried" fair '.levels[1].pool_of_two.requests > 0'
that "costly connections are not mistaken for it" slow '.verdict == "good" or .verdict == "unknown"'
that "but are named" slow 'any(.lookalikes[]; .name == "connecting" and .is == "yes")'
for name in tls unix fair slow; do
	stop "$name"
done

# The real one.
real_puma() {
	mkdir -p app/config
	echo 'run lambda { |_| sleep 0.02; [200, {"Content-Type" => "text/plain"}, ["ok"]] }' \
		>app/config.ru
	printf 'threads 5, 5\nenvironment "production"\nbind "tcp://127.0.0.1:4371"\n' \
		>app/config/puma.rb
	(cd app && exec setpriv --pdeathsig KILL timeout 50 puma -C config/puma.rb config.ru) \
		>puma.out 2>&1 8>&- </dev/null &
	puma=$!
	for _ in {1..100}; do
		grep -q 'Ctrl-C' puma.out && break
		sleep 0.1
	done
	diagnose puma -c 10 http://127.0.0.1:4371/
	kill "$puma"
	wait "$puma" 2>/dev/null
	that "Puma is recognised, with version and threads" puma \
		'.server.name == "puma" and (.server.version | test("^[0-9]")) and .server.threads == 5'
	that "its configuration is read" puma '.server.settings | contains("threads=5")'
	that "what is known of this version is what was measured" puma \
		'(.server.suffers == "yes") == (.verdict == "bad")'
	# It closes after ten, unless just then nobody waits to be accepted.
	that "and before 7.0 that is bad, about ten in a row" puma "(.server.suffers != \"yes\") or
		($bad and .levels[0].kept.in_a_row >= 8 and .levels[0].kept.in_a_row <= 15)"
}

if command -v puma >/dev/null; then
	real_puma
else
	skip "the real Puma" "puma is not installed"
fi

plan
