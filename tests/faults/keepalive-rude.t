#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Whatever a server does wrong, does keepalivediagnose end soon, with little memory, in words that say
# what it was, and without a verdict on what it could not see?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
[ "${TUESDAY_TEST_LONG:-}" ] || skip_all "it takes more than a minute: make check-long runs it"
needs jq openssl unshare ip
own_network
tool=$BIN/keepalivediagnose
[ -x "$tool" ] || skip_all "needs $tool: make first"
begin
cd "$scratch" || exit 1

# diagnose URL [OPTION...]: with 256 MiB of addresses and 20 s at the very most.
diagnose() {
	(
		ulimit -v 262144
		timeout 20 "$tool" -o json --max-wait 500ms --max-seconds 2 --max-requests 1500 "$@"
	) >out.json 2>err 8>&- </dev/null
	status=$?
}

show_answer() {
	echo "exit status $status: $(jq -r '"\(.verdict) \(.requests) \(.summary) \(.howevers)"' \
		out.json 2>&1) $(head -c 300 err)" | why
}

# no_verdict SENTENCE WORDS MOST_REQUESTS: it ended without one and says so in these words.
no_verdict() {
	# shellcheck disable=SC2016
	if [ "$status" = 3 ] && jq -e --arg words "$2" --argjson most "$3" '.verdict == "unknown" and
		.outcome == "none" and .requests <= $most and (.summary | contains($words))' \
		out.json >/dev/null 2>&1; then
		pass "$1"
	else
		fail "$1"
		show_answer
	fi
}

# answers SENTENCE STATUS JQ_CONDITION; a STATUS of any is one of a verdict, which a busy machine decides.
answers() {
	if { [ "$status" = "$2" ] || { [ "$2" = any ] && [ "$status" -lt 4 ]; }; } && jq -e "$3" out.json >/dev/null 2>&1; then
		pass "$1"
	else
		fail "$1"
		show_answer
	fi
}

# serve_rudely: anew for each part, since no helper lives for as long as all of them may take.
serve_rudely() {
	[ -z "${started[rude]:-}" ] || stop rude
	start rude "$helpers/rude" 4951 600
}

serve_rudely
while read -r path words; do
	diagnose "http://127.0.0.1:4951/$path"
	no_verdict "$path: $words" "$words" 5
done <<-'END'
	reset the server reset the connection
	early without an answer
	early-line ended within its head
	early-head ended within its head
	early-behind-head ended before its end
	early-body ended before its end
	early-chunk ended before its end
	trickle-head --max-wait
	trickle-body --max-wait
	silent --max-wait
	garbage not HTTP
	noise not HTTP
	zeros a byte of 0
	status none of HTTP
	switches another protocol
	endless-head head has no end
	endless-line head has no end
	endless-interim head has no end
	endless-size head has no end
	endless-chunk larger than this program reads
	ten-gigabytes larger than this program reads
	no-end larger than this program reads
	endless-chunks no answer: 
	bad-chunk a chunk has no size
	two-lengths contradict
	length-of-words no number
	error answers 500
END

# Here some answers are good, so more are asked for.
serve_rudely
diagnose http://127.0.0.1:4951/error-grows
no_verdict "error-grows: it stops when errors become more" "answers 500" 400
diagnose http://127.0.0.1:4951/longer
no_verdict "longer: what follows an answer is no part of it" "nobody asked for" 40

# The time that the whole may take holds, whatever is under way: also where more is allowed to a single
# request, and where a round would wait for its answers.
while read -r path words; do
	diagnose "http://127.0.0.1:4951/$path" --max-wait 60s
	no_verdict "$path: the end of the time ends it" "$words" 5
	answers "$path: within five seconds more" 3 '.seconds < 2 + 5'
done <<-'END'
	silent the time limit was reached (--max-seconds)
	trickle-body the time limit was reached (--max-seconds)
END

# No fault at all.
serve_rudely
for path in ok interim redirect old-kept; do
	# Which needs its requests, on however slow a machine.
	diagnose "http://127.0.0.1:4951/$path" --max-seconds 10
	answers "$path: a server without a fault is examined, and not bad" any \
		'.verdict != "bad" and .requests > 40 and .kept_ratio == 1'
done
diagnose http://127.0.0.1:4951/redirect
answers "redirect: it is not followed, and said" any 'any(.howevers[]; contains("302"))'
for path in says-close closes-unsaid old; do
	diagnose "http://127.0.0.1:4951/$path"
	answers "$path: a server that keeps no connection, said or not, makes none wait" 0 \
		'.outcome == "never-kept" and .verdict == "skip"'
done
diagnose http://127.0.0.1:4951/nowhere
answers "404 is an answer, and named" any 'any(.howevers[]; contains("404"))'

# What is not there.
diagnose http://no-such-host.invalid/
t "a name without an address is told" test "$status" = 3 -a "$(wc -l <err)" = 1 -a \
	"$(grep -c 'keepalivediagnose: no-such-host.invalid: ' err)" = 1
diagnose http://127.0.0.1:4959/
no_verdict "a refused connection is told" "Connection refused" 5
diagnose --unix "$scratch/nowhere" http://localhost/
no_verdict "so is a Unix socket that is not there" "No such file" 5

# TLS, each to another who trusts nobody.
certificate() { # NAME OPTION...: key and certificate in NAME.pem
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem "${@:2}" \
		>/dev/null 2>&1
	cat key.pem certificate.pem >"$1.pem"
}
# A server of each kind on the other end of a wire, since this machine's own are not verified.
certificate self -days 1 -subj /CN=localhost -addext subjectAltName=IP:10.231.7.1
mkdir ca
: >ca/index
echo 01 >ca/serial
openssl req -new -newkey rsa:2048 -nodes -keyout key.pem -out expired.csr -subj /CN=10.231.7.1 2>openssl.err
cat >ca.conf <<-'END'
	[ca]
	default_ca = own
	[own]
	dir = ca
	database = $dir/index
	serial = $dir/serial
	new_certs_dir = $dir
	default_md = sha256
	policy = any
	x509_extensions = names
	[names]
	subjectAltName = IP:10.231.7.1
	[any]
	commonName = supplied
END
openssl ca -batch -config ca.conf -in expired.csr -selfsign -keyfile key.pem -out expired.crt \
	-startdate 20200101000000Z -enddate 20200102000000Z -notext 2>>openssl.err
cat key.pem expired.crt >expired.pem
certificate other -days 1 -subj /CN=other.example -addext subjectAltName=DNS:other.example
certificate right -days 1 -subj /CN=right -addext subjectAltName=IP:10.231.7.1

serve_rudely
diagnose https://127.0.0.1:4951/ok
no_verdict "TLS to a server that speaks none is told" "the server does not speak TLS: try http://" 5
start tls "$helpers/rude" 4952 600 self.pem
diagnose http://127.0.0.1:4952/ok
no_verdict "and the reverse" "try https://" 5
diagnose https://127.0.0.1:4952/ok
answers "this machine's own certificate is not verified, and what it is worth is told" any \
	'any(.howevers[]; contains("not verified") and contains("self"))'
diagnose https://127.0.0.1:4952/early-body
no_verdict "a body that is cut is one through TLS too" "before its end" 5
diagnose https://127.0.0.1:4952/ten-gigabytes
no_verdict "and 10 GB are not read" "larger" 5
stop tls
start tls "$helpers/rude" 4952 600 close
diagnose https://127.0.0.1:4952/
no_verdict "a handshake that is cut is told" "cannot connect" 5
stop tls
start tls "$helpers/rude" 4952 600 silent
diagnose https://127.0.0.1:4952/
no_verdict "one that is never answered ends at the guard" "--max-wait" 5
stop tls

verified() { # NAME SENTENCE WORDS [VARIABLE=VALUE]: asked across the wire
	start "$1" in_netns "$near" "$helpers/rude" 10.231.7.1:4953 600 "$1.pem"
	tool="ip netns exec $far env ${4:-SSL_CERT_FILE=} $BIN/keepalivediagnose"
	# shellcheck disable=SC2086
	timeout 20 $tool -o json --max-seconds 2 --yes 10.231.7.1 https://10.231.7.1:4953/ok >out.json 2>err 8>&-
	status=$?
	stop "$1"
	if [ -z "$3" ]; then
		answers "$2" any '.requests > 20 and (any(.howevers[]; contains("verified")) | not)'
	else
		no_verdict "$2" "$3" 5
	fi
}
near=tt-rude-near-$$ far=tt-rude-far-$$
new_netns "$near" "$far"
join_netns "$near" "$far"
verified self "a certificate that nobody signed is refused" "self"
verified expired "so is one that has expired" "expired" "SSL_CERT_FILE=$scratch/expired.crt"
verified other "and one of another name" "mismatch" "SSL_CERT_FILE=$scratch/other.pem"
verified right "one that is trusted and of that name is not" "" "SSL_CERT_FILE=$scratch/right.pem"
stop rude

plan
