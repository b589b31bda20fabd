#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do those who are to read the dialects read them: prove, an XML validator? And what would NHC and
# Slurm's controller be told?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
work=$(mktemp -d /var/tmp/tuesday-dialects.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
tuesday=$BIN/tuesday
for name in listen healthy; do
	mkdir "$name"
	tar -xzf "$root/tests/replay/$name.tar.gz" -C "$name" --no-same-owner
done

ends() {
	[ "$status" = "$1" ]
}

says() {
	grep -q -- "$1" out
}

# A recording with a bad listener, and one with nothing.
bad="run --replay $work/listen"
good="run cpu disk l2arc --replay $work/healthy"
# shellcheck disable=SC2086
verdict=$("$tuesday" $bad -o json | grep -o '"verdict":"[a-z]*","type"' | cut -d'"' -f4)
is "$verdict" bad "the recording that the tests use is a bad one"

# shellcheck disable=SC2086
tap() {
	call "$tuesday" $1 -o tap
	mv out tap
	call prove -e cat tap
}
if command -v prove >/dev/null; then
	tap "$bad"
	t "prove reads TAP and fails for what is bad" ends 1
	t "and finds it well-formed" says 'Failed 1/\|Failed tests\?:'
	t "by no parse error" sh -c '! grep -q "Parse errors" out'
	tap "$good"
	t "prove passes what is good" ends 0
else
	skip "prove reads TAP" "prove is not installed"
fi

# shellcheck disable=SC2086
if command -v xmllint >/dev/null; then
	for run in "$bad" "$good"; do
		call "$tuesday" $run -o junit
		mv out junit.xml
		call xmllint --noout --schema "$root/tests/junit.xsd" junit.xml
		t "JUnit's XML is valid: ${run##*/}" ends 0
	done
else
	skip "JUnit's XML is valid" "xmllint is not installed"
fi

# shellcheck disable=SC2086
call "$tuesday" $bad -o checkmk --services listen
t "a local check of Checkmk ends with 0" ends 0
# shellcheck disable=SC2016
t "each line is a state, a name, values and a text" \
	sh -c '! grep -vE "^[0-3] \"Tuesday[^\"]*\" (-|[a-z0-9_]+=$1;($1)?;($1)?(\|[a-z0-9_]+=$1;($1)?;($1)?)*) ([a-z]+: |[0-9]+ bad)" out' sh \
	'-?[0-9.]+(e[-+]?[0-9]+)?'
t "a service is critical" says '^2 "Tuesday listen"'
# shellcheck disable=SC2086
call "$tuesday" $bad -o npd
t "for node-problem-detector bad is 1" ends 1
t "in one short line" test "$(wc -l <out)" = 1 -a "$(wc -c <out)" -le 256
# shellcheck disable=SC2086
call "$tuesday" $good -o npd
t "and good is 0" ends 0

# The configuration for it: every condition has its rule, every command is one that runs.
if command -v jq >/dev/null; then
	npd=$root/dist/npd/tuesday-monitor.json
	works "each permanent rule has its condition" jq -e '[.conditions[].type] == [.rules[] |
		select(.type == "permanent") | .condition]' "$npd"
	while read -r arguments; do
		# shellcheck disable=SC2086
		call "$tuesday" ${arguments//--root \/host/}
		t "the plugin runs: ${arguments%% --*}" test "$status" -le 2
	done < <(jq -r '.rules[].args | join(" ")' "$npd")
fi

# Stand-ins, with a program that says what it is told to. For NHC, which Debian does not have: this shows
# what our function does, not that NHC takes it. For scontrol: how often it is asked, and what is done when
# it fails; that the real Slurm takes what it is told is in slurm.t.
cat >fake <<'END'
#!/bin/sh
[ "$1" = run ] || exit 64
printf '%s\n' "$SAYS"
exit "$ENDS"
END
cat >scontrol <<'END'
#!/bin/sh
echo "$*" >>asked
[ -z "$HANGS" ] || exec sleep "$HANGS"
[ "$1" != show ] || printf '   State=%s ThreadsPerCore=1\n   Reason=%s [root@now]\n' "$STATE" "$REASON"
END
cat >./logger <<'END'
#!/bin/sh
echo "$*" >>logged
END
chmod +x fake scontrol logger

# nhc ENDS ARGUMENTS...: in the way that NHC 1.5 calls its functions.
# shellcheck disable=SC2016
nhc='PATH=/sbin:/usr/sbin:/bin:/usr/bin; set -f; die() { echo "died $*"; }; . "$1"; shift; check_tuesday "$@"'
nhc() {
	SAYS="bad disk(sda)" ENDS=$1 TUESDAY=$work/fake bash -c "$nhc" nhc "$root/dist/nhc/tuesday.nhc" "${@:2}"
}
is "$(nhc 2 disk)" "died 1 check_tuesday: bad disk(sda)" "NHC takes a node that is bad"
is "$(nhc 1 disk; nhc 3 disk; nhc 0 disk)" "" "and not one that may be, is unknown, or good"
is "$(nhc 1 -b maybe disk)" "died 1 check_tuesday: bad disk(sda)" "unless it is told to"
is "$(nhc 64 disc)" "died 1 check_tuesday: cannot run (exit status 64)" "what is set up wrong is said"
is "$(nhc 137 disk)" "" "what was killed is not known"
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
	# shellcheck disable=SC2016
	is "$(SAYS="bad disk" ENDS=2 unshare --mount sh -c 'mkdir bin && cp fake bin/tuesday &&
		mount --bind bin /usr/local/bin && exec bash -c "$@"' sh "$nhc" nhc "$root/dist/nhc/tuesday.nhc" disk)" \
		"died 1 check_tuesday: bad disk" "the program is found where it is installed"
else
	skip "NHC finds the program where it is installed" "needs a mount namespace"
fi

# slurm ENDS STATE [REASON]: what the controller is asked.
slurm() {
	: >asked
	: >logged
	SAYS=${SAYS-bad fs | not md} ENDS=$1 STATE=$2 REASON=${3-} TUESDAY=$work/fake TUESDAY_STATE=$work/remembered \
		SLURMD_NODENAME=n1 PATH=$work:$PATH "$root/dist/slurm/tuesday-slurm" 2>/dev/null
	cat asked
}
asks="show node n1"
drains="$asks
update NodeName=n1 State=DRAIN Reason=TUE:"
undrains="$asks
update NodeName=n1 State=UNDRAIN Reason=good again, as far as Tuesday sees"
is "$(slurm 0 IDLE)" "" "Slurm's controller is not asked before a node is registered that is good"
is "$(slurm 0 IDLE)" "$asks" "once afterwards, whether it was drained before the boot"
is "$(slurm 0 IDLE)" "" "and no more while it is good"
is "$(slurm 2 MIXED)" "$drains bad fs | not md" "a node that is bad is drained"
is "$(slurm 2 MIXED+DRAIN; slurm 3 MIXED+DRAIN)" "" "once"
is "$(slurm 0 IDLE+DRAIN "TUE: bad fs")" "$undrains" "and brought back"
is "$(rm remembered; slurm 2 IDLE+DRAIN "TUE: bad fs")" "$asks" "a drain of before the boot is known again"
is "$(slurm 0 DOWN+DRAIN "TUE: bad fs")" "$undrains" "and undone"
for state in DOWN IDLE+FAIL IDLE+DRAIN "DOWN*+DRAIN"; do
	is "$(slurm 2 "$state" "admin: TUE: mine")" "$asks" "what is $state by somebody else keeps that reason"
done
is "$(slurm 2 IDLE "DRAIN: TUE: a note")" "$drains bad fs | not md" "a note is no drain"
is "$(rm remembered; SAYS=$(printf 'bad \033[1m%0200d\nmore' 7) slurm 2 IDLE | tail -n 1 | wc -c)" \
	"$(printf 'update NodeName=n1 State=DRAIN Reason=TUE: %0150d\n' 7 | wc -c)" \
	"a reason is one line that is not long"

# What fails is said, and done again the next time.
rm remembered
is "$(HANGS=30 slurm 2 IDLE)" "$asks" "a controller that does not answer is not waited for"
is "$(cat logged)" "-t tuesday-slurm -p daemon.err -- scontrol show failed for n1" "the log has that"
is "$(slurm 2 IDLE)" "$drains bad fs | not md" "and it is asked again"
is "$(slurm 127 IDLE; cat logged)" \
	"-t tuesday-slurm -p daemon.err -- cannot run $work/fake (exit status 127)" \
	"the log has that nothing looks after the node"

# A deadline.
begun=$SECONDS
call "$tuesday" run cpu --no-trace --window 30 --windows 2 --deadline 1s -o json
t "a run ends at its deadline, long before its windows do" test $((SECONDS - begun)) -lt 15
t "and says that it was interrupted" says '"interrupted":true'
call "$tuesday" run --deadline soon
t "a deadline that is no time is misuse" ends 64
plan
