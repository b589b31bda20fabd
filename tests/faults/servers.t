#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do keepalivehealth and keepalivediagnose agree with the truth about real servers: is whoever starves
# requests for the sake of kept connections bad to both, and nobody else to any? tests/matrix has the
# rest: more loads, slow requests, and what hey needs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/servers.sh
. "$(dirname "$0")/../servers.sh"
needs jq setpriv unshare awk
own_ports
[ -x "$BIN/keepalivediagnose" ] || skip_all "needs $BIN/keepalivediagnose: make first"
at_once=5

# witness_all LOAD HOW SECONDS: all servers at once; $witnesses are the processes.
witness_all() {
	local name load

	witnesses=()
	for name in "${up[@]}"; do
		read -ra load < <(load_of "$1" "$("$servers/run" "$name" slots "$threads")" 0)
		witness "$name" "$name.$1.$2" "${ports[$name]}" "$2" "$3" "${load[@]}" &
		witnesses+=($!)
	done
}

# look_at_all LOAD: three looks at all of them, the last with a trace in any case. A result names the
# worst server, so each look is recorded and judged again for each.
look_at_all() {
	local name deep look=0 only=()

	for name in "${up[@]}"; do
		only+=(--port "${ports[$name]}")
	done
	for deep in "" "" --deep; do
		look=$((look + 1))
		# shellcheck disable=SC2086
		"$BIN/keepalivehealth" "${only[@]}" --quick $deep --record "$scratch/$1.look$look" \
			>/dev/null 2>"$scratch/look.err" 8>&-
	done
}

# said_of NAME LOAD: the worst that a look said, and the tier of the last one.
said_of() {
	local look deep verdict=

	for look in 1 2 3; do
		deep=
		[ "$look" != 3 ] || deep=--deep
		# shellcheck disable=SC2086
		"$BIN/keepalivehealth" --port "${ports[$1]}" $deep --replay "$scratch/$2.look$look" \
			-o json >"$scratch/said.json" 2>"$scratch/look.err" 8>&-
		said=$(jq -r '.checks[0].verdict' "$scratch/said.json")
		tier=$(jq -r '.checks[0].tier' "$scratch/said.json")
		[ "$said" != bad ] || verdict=bad
	done
	said=${verdict:-$said}
}

# is_one_of GOT SENTENCE WANTED...
is_one_of() {
	if [[ " ${*:3} " == *" $1 "* ]]; then
		pass "$2: $1"
	else
		fail "$2: $1"
	fi
}

# passive_is NAME LOAD: held against the truth.
passive_is() {
	local truth said tier

	truth=$(truth_word "$scratch/$1.$2.kept" "$scratch/$1.$2.closed")
	# Near its limits two seconds of a trace cannot tell the one from the other.
	jq -e '.begun > 0 and (.overtaking / .begun | . > 0.01 and . < 0.1)' "$scratch/$1.$2.kept" \
		>/dev/null && truth=slight
	said_of "$1" "$2"
	echo "# $1, $2: $truth, $said by $tier; kept $(tr '\n' ' ' <"$scratch/$1.$2.kept")"
	case $truth in
	starving) is "$said" bad "keepalivehealth finds that $1 starves, $2" ;;
	unfair) is_one_of "$said" "keepalivehealth finds that $1 is unfair, $2" bad maybe ;;
	fair) is "$said by $tier" "good by trace" "keepalivehealth finds that $1 is fair, $2" ;;
	*) skip "keepalivehealth and $1, $2" "the truth is not clear: $truth" ;;
	esac
}

# diagnose_all: some at a time, since they sleep most of the time.
diagnose_all() {
	local name jobs=()

	for name in "${up[@]}"; do
		invasive "$name.invasive" "${ports[$name]}" &
		jobs+=($!)
		if [ ${#jobs[@]} = "$at_once" ]; then
			wait "${jobs[0]}"
			jobs=("${jobs[@]:1}")
		fi
	done
	wait "${jobs[@]}"
}

# invasive_is NAME
invasive_is() {
	local truth verdict known

	truth=$(truth_word "$scratch/$1.overload.kept" "$scratch/$1.overload.closed")
	verdict=$(jq -r .verdict "$scratch/$1.invasive")
	jq -r '"# \(.verdict), \(.requests) requests: \(.summary)"' "$scratch/$1.invasive"
	case $truth in
	starving) is "$verdict" bad "keepalivediagnose finds that $1 starves" ;;
	unfair) is_one_of "$verdict" "keepalivediagnose finds that $1 is unfair" bad maybe ;;
	fair)
		is_one_of "$verdict" "keepalivediagnose does not accuse $1, which is fair" good skip unknown
		;;
	*) skip "keepalivediagnose and $1" "the truth is not clear: $truth" ;;
	esac
	known=$("$servers/run" "$1" known_as)
	is "$(jq -r '.server.name // ""' "$scratch/$1.invasive")" "$known" \
		"keepalivediagnose takes $1 for ${known:-nothing that it knows}"
}

begin
chmod 711 "$scratch"
declare -A ports=()
up=()
port=${own}0
for name in $(server_names); do
	port=$((port + 1))
	ports[$name]=$port
	launch "$name" "$name" "$port" 0
done
for name in $(server_names); do
	if is_up "$name" "${ports[$name]}"; then
		up+=("$name")
	else
		skip "$name" "$(paste -sd , "$scratch/$name.why")"
	fi
done
[ ${#up[@]} -gt 0 ] || { plan; exit; }

for load in overload busy; do
	witness_all "$load" kept 11
	for name in "${up[@]}"; do
		until_true 20 connected "${ports[$name]}" 1 || bail "$name is not asked for anything"
	done
	look_at_all "$load"
	wait "${witnesses[@]}"
	witness_all "$load" closed 5
	wait "${witnesses[@]}"
	for name in "${up[@]}"; do
		passive_is "$name" "$load"
	done
done
diagnose_all
for name in "${up[@]}"; do
	invasive_is "$name"
done

# Without both the above would be no test.
if [[ " ${up[*]} " == *" uwsgi-http11 "* && " ${up[*]} " == *" waitress "* ]]; then
	is "$(truth_word "$scratch/uwsgi-http11.overload.kept" "$scratch/uwsgi-http11.overload.closed")" \
		starving "the truth knows who starves"
	is "$(truth_word "$scratch/waitress.overload.kept" "$scratch/waitress.overload.closed")" fair \
		"and who does not"
fi
plan
