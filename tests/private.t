#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a recording, replayed by anybody, say what the run said, and nothing that is nobody's business?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
unset TUESDAY_WITHOUT
for program in jq setpriv; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d /var/tmp/tuesday-private.XXXXXX)
secret=swordfish$$
clean() {
	kill -KILL "$keeper" 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
chmod 1777 "$work"
cd "$work" || exit 1
install -m 755 "$BIN/tuesday" program
as_nobody=()
if [ "$(id -u)" = 0 ]; then
	as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

# A process that knows something, in its arguments, its environment, and a file that it has open.
echo "$secret" >secret.txt
PASSWORD=$secret tail -f secret.txt "--pid=$$" /dev/null "$secret" >/dev/null 2>&1 &
keeper=$!
disown

# t SENTENCE CONDITION...: one test; on failure a look at what was said.
t() {
	local sentence=$1

	shift
	if "$@"; then
		pass "$sentence"
	else
		fail "$sentence"
		head -c 300 err | why
	fi
}

# report FILE COMMAND...: a JSON report into FILE, the exit status into $status.
report() {
	local file=$1

	shift
	timeout 30 "$@" -o json >"$file" 2>err </dev/null
	status=$?
}

# What of a report is the machine's and not the clock's. Why there was no trace is the one thing that
# a recording does not know better than that it has none; and nobody experiments on one.
lasting() {
	jq -S 'del(.time, .duration_seconds, .cost, .replay, .checks[].cost, .checks[].missing,
		.checks[].offers)' "$1"
}
verdicts() {
	jq -c '[.checks[] | {(.check): .verdict}] | add' "$1"
}
same() {
	cmp -s <("$1" "$2") <("$1" "$3") && [ -s "$2" ]
}
status_fits() {
	[ "$status" = "$(jq '{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict]' "$1")" ]
}

# recorded WHO DEPTH COMMAND...: everything about one recording of WHO.
recorded() {
	local who=$1 depth=$2 live

	shift 2
	report "$who.json" "$@" ./program run --quick --window=0.5 "$depth" --record "$who"
	t "$who, $depth: the run that is recorded gives a verdict" status_fits "$who.json"
	live=$status
	is "$(stat -c %a "$who")" 700 "  nobody else may read the recording"
	is "$(find "$who" -perm /077 | wc -l)" 0 "  nor any part of it"
	is "$(grep -rlaF "$secret" "$who" "$who.json" | wc -l)" 0 \
		"  arguments, environment and files of processes are not in it"
	is "$(find "$who" ! -type f ! -type d | wc -l)" 0 "  it is files and directories only"

	cp -r "$who" "$who.copy"
	chmod -R a+rX "$who.copy"
	report "$who.again" ./program run "$depth" --replay "$who.copy"
	t "  replayed, the verdicts are the same" same verdicts "$who.json" "$who.again"
	is "$status" "$live" "  so is the exit status"
	t "  and every number, culprit and doubt" same lasting "$who.json" "$who.again"
	t "  and it says that it is a replay" [ "$(jq .replay "$who.again")" = true ]
	report "$who.nobody" "${as_nobody[@]}" ./program run "$depth" --replay "$who.copy"
	t "  an ordinary user's replay is the same" same lasting "$who.again" "$who.nobody"
	./program run "$depth" --replay "$who.copy" -o line >"$who.one"
	./program run "$depth" --replay "$who.copy" -o line >"$who.two"
	"${as_nobody[@]}" ./program run "$depth" --replay "$who.copy" -o line >"$who.three"
	t "  twice, and as somebody else, the line is the same to the byte" \
		[ "$(sort -u "$who.one" "$who.two" "$who.three" | wc -l)" = 1 ]
	find "$who.copy" -type f -exec sha256sum {} + | sort >"$who.after"
	(cd "$who" && find . -type f -exec sha256sum {} +) | sed "s|  \./|  $who.copy/|" | sort >"$who.before"
	t "  and a replay writes nothing into it" cmp -s "$who.before" "$who.after"
}

me=user
[ "$(id -u)" != 0 ] || me=root
recorded "$me" --no-trace
recorded "$me-deep" --deep
if [ "$me" = root ]; then
	recorded nobody --deep "${as_nobody[@]}"
fi
plan
