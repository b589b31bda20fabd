# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What a job within a guest calls; see vm.sh.
export TUESDAY_STATE_DIR=/nonexistent BIN=/share
cd /tmp || exit

# In colour where it writes to a terminal, as our serial line is one.
jq() {
	command jq -M "$@"
}

# is GOT WANTED SENTENCE
is() {
	if [ "$1" = "$2" ]; then
		echo "ok - $3"
	else
		echo "not ok - $3"
		printf 'why - got "%s", wanted "%s"\n' "$1" "$2"
	fi
}

# t SENTENCE COMMAND...
t() {
	local sentence=$1

	shift
	if "$@" >/dev/null 2>&1; then
		echo "ok - $sentence"
	else
		echo "not ok - $sentence"
	fi
}

# until_true SECONDS COMMAND...: asks again and again.
until_true() {
	local end=$((SECONDS + $1))

	shift
	while ! "$@" && [ $SECONDS -lt $end ]; do
		sleep 0.2
	done
}

# run CHECK...: into report.json, and into the file that the test keeps.
run() {
	"$BIN/tuesday" run -o json "$@" >report.json 2>errors
}

# verdict CHECK
verdict() {
	jq -r --arg check "$1" '.checks[] | select(.check == $check) | .verdict' report.json
}

# accused CHECK [METRIC]: what was said of it, a line each: verdict, metric, instance.
accused() {
	jq -r --arg check "$1" '.checks[] | select(.check == $check) | .metrics[] |
		select(.verdict == "bad" or .verdict == "maybe") | "\(.verdict) \(.name) \(.label // .instance // "")"' report.json
}

# guilty [PATTERN]: the checks that accuse, but those whose whole name matches.
guilty() {
	jq -r --arg but "^(${1:-})\$" '.checks[] | select(.verdict == "bad" or .verdict == "maybe") |
		select(.check | test($but) | not) | "\(.check): \(.summary)"' report.json
}

# The traces that were wanted and could not be had, on one line.
missing_traces() {
	jq -r '[.checks[].missing // empty | split(": ")[0] | ltrimstr("trace ")] | sort | join(" ")' report.json
}
