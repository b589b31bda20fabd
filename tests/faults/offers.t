#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is each shipped experiment offered where its check is maybe, as a command that can be pasted; and of whom would
# it be, where the check itself names nobody: the cgroup of a suspect, a route? A layer lets every check accuse.
# shellcheck disable=SC2016
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip script
own_network
begin
cd "$scratch" || exit 1
export TUESDAY_RUN_DIR=$scratch/run TERM=xterm
mkdir run layer asks

# accuses VALUE: a check that is maybe here, whatever it is about and whatever it wants to be there.
accuses() {
	printf '[check]\nneeds =\nkernel =\npackage =\nprogram =\nexpires =\n'
	printf '[metric table_count]\nvalue = %s\nclass = cause\nmaybe = >= 0\n' "$1"
	printf 'say = {value}\nwhy = w\nsource = none\nhowever = h\n'
}

# Experiments of every check, what is turned by a file on a knob that every machine has. One whose knob is chosen
# by who is to blame is asked below.
mapfile -t checks < <(grep -l '^\[experiment ' "$root"/checks.d/*.ini "$root"/checks.d/recent/*.ini |
	xargs grep -L '^enabled *= *given' | xargs grep -L '^program *= *keepalivediagnose')
for file in "${checks[@]}"; do
	{
		accuses '/proc/sys/net/ipv4/conf/*/forwarding'
		awk '/^\[/ { header = "" }
			/^\[experiment / { header = $0; print header "\nneeds =" }
			header && /^knob / { print "knob = /proc/sys/kernel/domainname\nset = tuesday-test" }
			header && /^(also|undo|about|suspect) / { print $1 " =" }' "$file"
	} >"layer/${file##*/}"
done
chmod -R go-w layer
mapfile -t names < <(printf '%s\n' "${checks[@]##*/}" | sed 's/\.ini$//')
call "$BIN/tuesday" run --quick --no-trace -o json -c layer "${names[@]}"
cp out offered
# offered CHECK/NAME RISK: with all that whoever pastes it should know.
offered() {
	jq -e --arg name "$1" --argjson risk "$2" '[.checks[] | .offers[]? | select(.experiment == $name)] | length == 1 and
		(.[0] | (.command | startswith("tuesday run " + ($name | sub("/.*"; "")) + " --yes " + $name + " -c layer"))
		and .seconds > 0 and .risk == $risk and .changes and (.question | length > 0) and
		(.warning | length > 0))' offered >/dev/null
}
while read -r name risk; do
	t "$name is offered" offered "$name" "$risk"
done < <(awk 'function say() { if (name && !refused) print name, risk; name = "" }
	FNR == 1 { say(); check = FILENAME; sub(/.*\//, "", check); sub(/\.ini$/, "", check) }
	/^\[/ { say(); refused = 0 }
	/^\[experiment / { sub(/\]$/, "", $2); name = check "/" $2 }
	$1 == "risk" { risk = $3 }
	$1 == "refused" { refused = 1 }
	END { say() }' "${checks[@]}")

# tells [OPTION...] FILTER: of what was printed last.
tells() {
	jq -e "$@" out >/dev/null
}

# Those that ask, about a listener.
start server "$helpers/serve" 4343 5 10 40 600
for name in keepalive puma-keepalive; do
	accuses 'listen:*.backlog' >"asks/$name.ini"
	echo 'only = *:4343' >>"asks/$name.ini"
done
chmod -R go-w asks
call "$BIN/tuesday" run --quick --no-trace -o json -c asks keepalive puma-keepalive
for name in keepalive puma-keepalive; do
	if [ -x "$BIN/keepalivediagnose" ]; then
		t "$name/diagnose is offered, about the listener" tells --arg name "$name" '[.checks[].offers[]? |
			select(.experiment == $name + "/diagnose" and (.changes | not) and
			(.command | contains("run " + $name + " --yes ") and contains(":4343")))] |
			length == 1'
	else
		skip "$name/diagnose is offered, about the listener" "keepalivediagnose is not built"
	fi
done

chmod 755 "$scratch" asks && chmod 644 asks/*.ini
accuses '/proc/sys/net/ipv4/conf/*/forwarding' >asks/tcp.ini
call setpriv --reuid=65534 --regid=65534 --clear-groups "$BIN/tuesday" run --quick --no-trace -o json -c asks keepalive tcp
t "who is not root turns nothing without sudo, which has another PATH, and asks without" tells --arg own "$BIN/tuesday" \
	'[.checks[].offers[]? | .command | startswith("sudo " + $own) == contains("run tcp ")] | length >= 3 and all'

# On a terminal, of the files that are shipped alone; and not to cron.
call script -qefc "$BIN/tuesday run --quick --no-trace -c asks tcp" /dev/null
tr -s '\r\n ' ' ' <out >flat
t "on a terminal an offer is a command, with its length, its risk and that all is put back" grep -q \
	'tuesday run tcp --yes tcp/ecn_on_route.*An experiment, [0-9.]* min at most, then all is put back; risk 2 of 5' flat
call script -qefc "$BIN/tuesday run --quick --no-trace --cron --state $scratch/state -c asks tcp" /dev/null
t "cron is silent about it" [ "$(grep -c -- '--yes' out)" = 0 ]

accuses '/proc/sys/net/ipv4/conf/*/forwarding' >asks/cpu.ini
# What is pasted runs this file, wherever it lies: one that was copied to a machine in a crisis, and one that is
# not in PATH, though another one is.
mkdir -p copied stub
cp "$BIN/tuesday" copied/tuesday
printf '#!/bin/sh\n' >stub/tuesday
chmod 755 stub/tuesday
asks_as() {
	PATH=$1 call "$2" run --quick --no-trace -c asks cpu -o json
}
bare=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
asks_as "$bare" copied/tuesday
t "by the path that it was started by" tells '.checks[0] | (.next | index("copied/tuesday explain cpu") and
	index("copied/tuesday queuediagnose --only cpu")) and
	all(.offers[]?.command; startswith("copied/tuesday run cpu --yes "))'
asks_as "$scratch/stub:$bare" "$scratch/copied/tuesday"
t "not by a name that is another program's" tells --arg own "$scratch/copied/tuesday" \
	'.checks[0].next | index($own + " explain cpu")'
asks_as "$scratch/copied:$bare" copied/tuesday
t "by its name alone where that is found, and a tool's by both: it has no link" tells '.checks[0].next |
	index("tuesday explain cpu") and index("tuesday queuediagnose --only cpu")'
command=$(jq -r '.checks[0].next[] | select(endswith("explain cpu"))' out)
PATH=$scratch/copied:$bare call sh -c "$command"
t "and it works" grep -q 'Do programs wait for a CPU' out

# The cgroup of the thread that uses most CPU time is suspected where no trace has seen who it is.
if [ -w /sys/fs/cgroup/cpu/cpu.shares ]; then
	group=/sys/fs/cgroup/cpu/tuesday-test-$$ weight=cpu.shares heavy=100000 experiment=lighter_neighbour_v1
else
	group=/sys/fs/cgroup/tuesday-test-$$ weight=cpu.weight heavy=10000 experiment=lighter_neighbour
fi
mkdir "$group" 2>/dev/null && undo rmdir "$group"
if [ -w "$group/$weight" ] && echo "$heavy" >"$group/$weight"; then
	start spin sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" 1 60' sh "$group" "$helpers/spin"
	PATH=$BIN:$bare call "$BIN/tuesday" run --quick --no-trace -c asks cpu -o json
	t "the cgroup of the busiest thread is the suspect" tells --arg command \
		"tuesday run cpu --yes cpu/$experiment -c asks --instance /tuesday-test-$$" \
		'[.checks[0].offers[] | select(.command == $command)] | length == 1'
	call "$BIN/tuesday" run --quick --no-trace -c asks --dry-run cpu
	t "and the others' wait is watched" grep -q "^ *$group/$weight" out
else
	skip "the cgroup of the busiest thread is the suspect" "no CPU controller for a cgroup of our own"
	skip "and the others' wait is watched" "no CPU controller for a cgroup of our own"
fi

# An address stands for its route, the most special one.
call "$BIN/tuesday" run --quick --no-trace -c asks tcp -o json
t "where no remote is accused it is the default route" tells '[.checks[0].offers[] |
	select(.experiment == "tcp/ecn_on_route" and (.command | endswith("--instance default")))] | length == 1'
ip addr add 10.9.0.2/24 dev lo
ip route add default via 10.9.0.1
ip route add 10.0.0.0/8 via 10.9.0.1
ip route add 10.8.0.0/16 via 10.9.0.1
save=$(awk '/^\[/ { on = $0 == "[experiment ecn_on_route]" } on && /^apply/ { exit } on && /^save/ { add = 1; sub(/^save *= /, "") }
	on && add' "$root/checks.d/tcp.ini")
for pair in 10.8.3.4=10.8.0.0/16 10.7.1.1=10.0.0.0/8 192.0.2.1=default default=default 10.0.0.0/8=10.0.0.0/8; do
	call sh -c "${save//\{instance\}/${pair%=*}}"
	is "$(cut -d' ' -f1 out)" "${pair#*=}" "the route of ${pair%=*}"
done
call sh -c "${save//\{instance\}/10.99.0.0/16}"
t "a network that has no route is refused" [ "$status:$(cat out)" = "1:there is no such route" ]
plan
