# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
# How do tests hold keepalivehealth and keepalivediagnose against real servers? To be sourced after
# tests/lib.sh. A server is a file in tests/servers. Truth is what tests/faults/witness.c saw, in the
# words of tests/order.jq.
servers=$root/tests/servers
# Each server's own requests take so long, with so many threads or processes.
service_ms=50
threads=5

server_names() {
	basename -s .sh "$servers"/*.sh
}

# answers PORT: one request, answered with 200.
answers() {
	local line

	{ exec 9<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null || return 1
	printf 'GET / HTTP/1.0\r\n\r\n' >&9
	read -r -t 3 line <&9
	exec 9>&-
	[[ $line == HTTP/1.*\ 200* ]]
}

# launch TAG NAME PORT SLOW_PERCENT: begins to start a server, in a directory of the test's own, which
# whoever it becomes may pass through.
launch() {
	"$servers/run" "$2" missing >"$scratch/$1.why"
	[ ! -s "$scratch/$1.why" ] || return
	DIRECTORY=$scratch "$servers/run" "$2" serve "$3" "$threads" "$service_ms" "$4" >"$scratch/$1.directory" \
		2>"$scratch/$1.err" 8>&- &
	started[$1]=$!
}

# is_up TAG PORT: from when a launched server answers. Returns 1 and says why in $scratch/TAG.why
# where it does not.
is_up() {
	local directory=

	[ -n "${started[$1]:-}" ] || return 1
	for _ in {1..60}; do
		{ read -r directory <"$scratch/$1.directory"; } 2>/dev/null && answers "$2" && break
		kill -0 "${started[$1]}" 2>/dev/null || break
		sleep 0.25
	done
	# Whoever answers must be the one that was started.
	if sleep 0.1 && kill -0 "${started[$1]}" 2>/dev/null && answers "$2"; then
		return 0
	fi
	echo "does not answer: $(tail -n 2 "$directory/output" | tr '\n' ' ' | head -c 200)" \
		>"$scratch/$1.why"
	stop "$1"
	return 1
}

# load_of LOAD SLOTS SLOW_PERCENT: connections and rate for the witness. idle is two requests a
# second; busy 60 % of what the slots can do, from a pool that may open four connections for each;
# overload two connections for each slot that always have a request.
load_of() {
	case $1 in
	idle) echo "$((2 * $2)) 2" ;;
	busy) echo "$((4 * $2)) $((60 * $2 * 1000 / (service_ms * (100 + 9 * $3))))" ;;
	overload) echo "$((2 * $2)) 0" ;;
	esac
}

# witness TAG OUT PORT kept|closed SECONDS CONNECTIONS RATE: its JSON in $scratch/OUT.
witness() {
	local directory

	read -r directory <"$scratch/$1.directory"
	exec "$helpers/witness" "$3" "$4" "$6" "$7" "$5" "$directory/order.log" \
		>"$scratch/$2" 2>"$scratch/$2.err" 8>&-
}

# truth_word KEPT CLOSED: as tests/order.jq has it.
truth_word() {
	jq -nr -L "$root/tests" --slurpfile kept "$1" --slurpfile closed "$2" \
		'include "order"; $kept[0] | truth_of($closed[0])'
}

# passive OUT PORT: three looks as a user would look, the last one tracing in any case; until one is
# bad.
passive() {
	local began=$EPOCHREALTIME verdict deep look=1

	for deep in "" "" --deep; do
		# shellcheck disable=SC2086
		"$BIN/keepalivehealth" --port "$2" --quick $deep -o json >"$scratch/$1.json" \
			2>"$scratch/$1.err" 8>&-
		verdict=$(jq -r '.checks[0].verdict' "$scratch/$1.json")
		[ "$verdict" != bad ] || break
		look=$((look + 1))
	done
	jq --arg began "$began" --arg ended "$EPOCHREALTIME" --argjson look "$look" '
		.checks[0] | {verdict, tier, summary, culprits, look: $look,
			seconds: (($ended | tonumber) - ($began | tonumber))}' \
		"$scratch/$1.json" >"$scratch/$1"
}

# invasive OUT PORT [OPTION...]
invasive() {
	"$BIN/keepalivediagnose" -o json "${@:3}" "http://127.0.0.1:$2/" >"$scratch/$1" \
		2>"$scratch/$1.err" 8>&- </dev/null
}
