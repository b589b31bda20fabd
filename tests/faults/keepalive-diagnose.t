#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does keepalivediagnose find a server that makes requests wait behind connections, does it leave all
# others alone, and does it stop?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq openssl
own_ports
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

# again NAME JQ_CONDITION [ARGUMENT...]: twice more at most, where what is there was not found: somebody took
# the CPUs. That what is not there was found is not asked again.
again() {
	for _ in 1 2; do
		jq -e "$2" "$1.json" >/dev/null 2>&1 && return
		jq -r '"# asked again, \(.verdict): \(.summary)", "# in a row \([.levels[].kept.in_a_row]), " +
			"served at once \(.served_at_once), requests \(.requests)"' "$1.json"
		diagnose "$1" "${@:3}"
	done
}

# that SENTENCE NAME JQ_CONDITION
that() {
	if jq -e "$3" "$2.json" >/dev/null 2>&1; then
		pass "$1"
	else
		fail "$1"
		jq -r '"# \(.verdict): \(.summary)", "# \(.howevers)"' "$2.json"
		jq -c '.levels[] | del(.p95_ratio)' "$2.json" | why
		head -c 300 "$2.err"
	fi
}

# exits SENTENCE NAME STATUS
exits() {
	is "$(cat "$2.status")" "$3" "$1"
}

# hoard NAME MODE ADDRESS MILLISECONDS [CERTIFICATE]: five workers, ten in a row.
hoard() {
	start "$1" "$helpers/hoard" "$2" "$3" 5 "$4" 10 600 ${5:+"$5"}
}

bad='.verdict == "bad" and .outcome == "queues"'
ten='.levels[0].kept.in_a_row == 10'
few='.requests <= 200 + 50 * .levels[0].connections'
order='.levels[0].kept.order_ratio - .levels[0].closed.order_ratio > 0.2 and .levels[0].order_p < 0.05'

hoard close close ${own}6 5
diagnose close http://127.0.0.1:${own}6/
that "a server that keeps no connection cannot make any wait" close \
	'.verdict == "skip" and .outcome == "never-kept"'
exits "that is no fault" close 0
stop close

# same_limit KEY PATTERN: what is seen inside is judged as keepalivehealth does.
same_limit() {
	is "$(sed -n "s/^$1 *= //p" "$root/tools/keepalive/limits.ini")" \
		"$(sed -n "/^.metric starved_ratio/,/^.metric inside/s/$2/\\1/p" "$root/checks.d/keepalive.ini")" \
		"$1 is the limit of keepalivehealth"
}
same_limit inside_least '^enough .* >= \(.*\)'
same_limit inside_bad_least '^bad .* > \(.*\)'
same_limit inside_fair_most '^acquit .* < \(.*\)'
same_limit inside_busy_most '^however.cpus.when .* > \(.*\) and .*'
same_limit inside_harm_least '^however.cpus.when .* < \(.*\)'
same_limit inside_victims_least '^however.few.when .*victims) < \(.*\)'

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
call "$tool" 127.0.0.1:80
t "what is no URL is told" test "$status" = 64

# The whole way.
hoard inline inline ${own}7 10
diagnose inline --svg inline.svg --header 'X-Evil: <&">' "http://127.0.0.1:${own}7/a&b"
again inline "$bad and $ten and $order and $few and .served_at_once >= 4 and .served_at_once <= 6" \
	--svg inline.svg --header 'X-Evil: <&">' "http://127.0.0.1:${own}7/a&b"
that "runs from one connection are found" inline "$bad"
exits "that is bad" inline 2
that "and are ten requests long" inline "$ten"
that "the order decides" inline "$order"
that "how many are served at once is found out" inline '.served_at_once >= 4 and .served_at_once <= 6'
that "the ratio of the tails has an interval above 1" inline '.levels[0].p99_ratio | .low > 1.2 and .high >= .low'
that "it needs few requests" inline "$few"
that "inside, most answers are seen to overtake, and connections that nobody accepts" inline \
	'.inside.kept | .read >= 50 and .continued / .read > 0.2 and .unaccepted_max >= 1'
that "and none with connections closed" inline \
	'.inside.closed | .read >= 50 and .continued / .read < 0.02'
that "the two agree" inline '.inside | has("disagrees") or has("missing") | not'
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
# A shell lets what is in the background ignore Ctrl-C.
env --default-signal=INT "$tool" -c 10 http://127.0.0.1:${own}7/ >interrupted.out 2>&1 8>&- &
interrupted=$!
sleep 4.5
kill -INT "$interrupted"
wait "$interrupted"
t "Ctrl-C ends it with what is known" grep -q 'stopped early: interrupted' interrupted.out
stop inline

# Others at the same time, since all of them sleep.
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 1 \
	-subj /CN=localhost >/dev/null 2>&1
cat key.pem certificate.pem >both.pem
hoard tls inline ${own}8 20 both.pem
hoard unix inline "$scratch/socket" 20
hoard fair fair ${own}9 20
hoard slow slow ${own}0 20
start narrow "$helpers/serve" ${own}2 1 0 10 600
diagnose tls -c 10 https://localhost:${own}8/ &
jobs=$!
diagnose unix -c 10 --unix "$scratch/socket" http://localhost/ &
jobs="$jobs $!"
diagnose fair -c 10 --rate 70% http://127.0.0.1:${own}9/ &
jobs="$jobs $!"
TUESDAY_WITHOUT=bpf diagnose slow -c 10 http://127.0.0.1:${own}0/ &
jobs="$jobs $!"
diagnose narrow -c 50 http://127.0.0.1:${own}2/ &
jobs="$jobs $!"
# shellcheck disable=SC2086
wait $jobs
free='any(.lookalikes[]; .name == "tls" and .is == "no")'
again tls "$bad and $ten and $free" -c 10 https://localhost:${own}8/ &
jobs=$!
again unix "$bad and $ten" -c 10 --unix "$scratch/socket" http://localhost/ &
wait "$jobs" $!
that "it is found through TLS" tls "$bad and $ten"
that "what TLS costs is known, and is not it" tls "$free"
that "it is found on a Unix socket" unix "$bad and $ten"
that "there requests cannot be followed inside, but connections counted" unix \
	'.inside | (.missing | contains("Unix sockets")) and .kept.unaccepted_max >= 1'
that "a fair server is not bad, slow as it is" fair '.verdict == "good" or .verdict == "unknown"'
that "and inside nobody is seen to be overtaken" fair \
	'.inside.kept | .read >= 50 and .continued / .read < 0.02'
that "nor in the open loop" fair '.levels[1].rate_per_second > 0 and .levels[1].outcome != "queues"'
that "a small pool was tried" fair '.levels[1].pool_of_two.requests > 0'
that "costly connections are not mistaken for it" slow '.verdict == "good" or .verdict == "unknown"'
that "without the right to trace it says so" slow '.inside.missing | contains("CAP_BPF")'
that "but are named" slow 'any(.lookalikes[]; .name == "connecting" and .is == "yes")'
that "a median of so many service times ends it, where no ramp was" narrow \
	'(.howevers + [.summary] | any(contains("median with connections closed grew"))) and .verdict != "bad" and
	(.levels | length) == 1 and .levels[0].rounds == 2'
for name in tls unix fair slow narrow; do
	stop "$name"
done

# Others' requests, in any order, beside a connection that nobody reads from.
load() {
	echo ready
	exec hey -z 600s -t 60 -c 8 "$1" 8>&-
}
if command -v hey >/dev/null; then
	stuck='.verdict == "maybe" and .inside.decides and .inside.closed.victims_max <= 2'
	start loops "$helpers/loops" ${own}3 16 5 5 1 0 600
	start load load http://127.0.0.1:${own}3/
	diagnose stuck http://127.0.0.1:${own}3/
	again stuck "$stuck" http://127.0.0.1:${own}3/
	that "one that nobody reads from is not an order, however often it is overtaken" stuck "$stuck"
	stop load
	stop loops
else
	skip "one that nobody reads from is not an order, however often it is overtaken" "hey is not installed"
fi

# The real one.
real_puma() {
	mkdir -p app/config
	echo 'run lambda { |_| sleep 0.02; [200, {"Content-Type" => "text/plain"}, ["ok"]] }' \
		>app/config.ru
	printf 'threads 5, 5\nenvironment "production"\nbind "tcp://127.0.0.1:%s"\n' "${own}1" \
		>app/config/puma.rb
	(cd app && exec setpriv --pdeathsig KILL timeout 600 puma -C config/puma.rb config.ru) \
		>puma.out 2>&1 8>&- </dev/null &
	puma=$!
	for _ in {1..100}; do
		grep -q 'Ctrl-C' puma.out && break
		sleep 0.1
	done
	diagnose puma -c 10 http://127.0.0.1:${own}1/
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
