#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the check keepalive see turns on a kernel without their tracepoints, which came with Linux 6.3?
# shellcheck source=tests/vm/vm.sh
. "$(dirname "$0")/vm.sh"
if ! command -v hey >/dev/null || [ ! -x "$BUILD/faults/serve" ]; then
	echo "1..0 # SKIP needs the program hey, and $BUILD/faults/serve"
	exit 0
fi
vm_carry=$BUILD/faults/serve
guest 6.1 < <(cat <<'END'
ln -s "$BIN/tuesday" keepalivehealth

# examine PORT: as tests/keepalive.sh has it.
examine() {
	./keepalivehealth --port "$1" --quick --deep --windows 3 --window 0.3 -o json >report.json 2>errors
}
listens() {
	ss -Hltn "sport = :$1" | grep -q .
}
connected() {
	[ "$(ss -Htn state established "sport = :$1" | wc -l)" -ge 10 ]
}
# load PORT: ten connections.
load() {
	until_true 60 listens "$1"
	hey -z 600s -t 60 -c 10 "http://127.0.0.1:$1/" >/dev/null 2>&1 &
	load=$!
	until_true 30 connected "$1"
	sleep 1
}
stop() {
	kill "$load" "$server"
	wait "$load" "$server" 2>/dev/null
}
ten_in_a_row() {
	jq '.checks[0].metrics[] | select(.name == "run_count") | .value >= 10 and .value <= 20' report.json
}

"$BIN/serve" 4341 5 10 40 600 >/dev/null &
server=$!
load 4341
examine 4341
is "$(verdict keepalive)" bad "a server that prefers its connections is bad"
is "$(jq -r '.checks[0].tier' report.json)" trace "by its trace"
is "$(ten_in_a_row)" true "which tells how many requests it serves in a row"
stop

"$BIN/serve" 4342 5 0 40 600 >/dev/null &
server=$!
load 4342
examine 4342
is "$(jq -r '.checks[0] | "\(.verdict) \(.tier) \(.exonerated)"' report.json)" "good trace true" \
	"one that serves in order is cleared by it"
stop

case $(puma --version 2>/dev/null | grep -o '[0-9][0-9.]*' | head -n 1) in
[1-6].*)
	cat >puma.rb <<-'RUBY'
		threads 5, 5
		workers 0
		bind "tcp://127.0.0.1:4345"
		environment "production"
		app { |_| sleep 0.04; [200, {"Content-Length" => "3"}, ["ok\n"]] }
	RUBY
	puma -C puma.rb >/dev/null 2>&1 &
	server=$!
	until_true 60 listens 4345
	hey -n 40 -c 10 -t 30 http://127.0.0.1:4345/ >/dev/null
	load 4345
	examine 4345
	is "$(verdict keepalive)" bad "Puma before 7 is bad"
	is "$(ten_in_a_row)" true "and serves ten requests in a row"
	stop
	;;
*)
	echo "skip - Puma before 7 is bad"
	;;
esac
END
)
plan
