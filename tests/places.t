#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Can another user choose where root writes, or read what root has recorded?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
unset TUESDAY_STATE_DIR
if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP needs root, and another user beside"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-places.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 1
umask 022
cp "$BIN/tuesday" tuesday
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
mkdir listen
tar -xzf "$root/tests/replay/listen.tar.gz" -C listen --no-same-owner
chmod -R go+rX listen
mkdir -m 1777 sticky
mkdir -m 777 open
mkdir -m 755 roots elsewhere
mkdir -m 755 nobodys mine
chown 65534:65534 nobodys mine
"${as_nobody[@]}" sh -c 'mkdir -m 777 sticky/slow; ln -s ../elsewhere sticky/link; ln -s .. nobodys/up
	ln -s /dev/full sticky/full; mkfifo -m 666 sticky/pipe'

says() {
	grep -Eq -- "$1" err
}

# refused PATTERN: it ended with 3 and said why.
refused() {
	[ "$status" = 3 ] && says "$1"
}

# untouched: nothing was made where another user's path leads.
untouched() {
	[ -z "$(find elsewhere sticky/slow -mindepth 1)" ]
}

# record DIR COMMAND...
record() {
	call "${@:2}" run clock --quick --no-trace --windows 1 --window 0.1 --no-history --record "$1"
}

# run_to FILE COMMAND...
run_to() {
	call "${@:2}" run --replay listen -o json --to "$1"
}

# Recordings.

record sticky/slow ./tuesday
t "a recording does not go into another user's directory" refused 'slow: it belongs to user 65534: name a new'
record sticky/link/new ./tuesday
t "  nor through another user's link" refused 'sticky/link is a link that user 65534 has made'
record sticky/link ./tuesday
t "  nor does that stand for one" refused 'sticky/link is a link that user 65534 has made'
record nobodys/new ./tuesday
t "  nor below a directory that is another user's" refused 'nobodys belongs to user 65534'
record open/new ./tuesday
t "  nor into one that all may write to" refused 'open can be written to by others.*chmod go-w'
t "  and nothing was made" untouched
t "  anywhere" [ ! -e open/new ]
record sticky/new ./tuesday
t "a new one beside others' in a directory as /tmp is fine" [ -s sticky/new/1/time ]
is "$(find sticky/new ! -perm 0700 ! -perm 0600)" "" "  and nobody else can look into it"
mkdir -m 777 sticky/own
record sticky/own ./tuesday
is "$(stat -c %a sticky/own)" 700 "a directory of one's own is shut"
ln -s sticky roots/short
record roots/short/../sticky/third ./tuesday
t "one's own links are followed, as they lead" refused 'No such file'
ln -sfn ../sticky roots/short
record roots/short/third ./tuesday
t "  to where they lead" [ -s sticky/third/1/time ]
record sticky/of-nobody "${as_nobody[@]}" ./tuesday
t "a user records in a directory as /tmp" [ -s sticky/of-nobody/0/time ]
mkdir -m 775 nobodys/group
chown 65534:65534 nobodys/group
record nobodys/group/new "${as_nobody[@]}" ./tuesday
t "  and in folders that their own group may write to" [ -s nobodys/group/new/0/time ]
call ./tuesday redact sticky/new sticky/link/new
t "redact does not go through another user's link" refused 'sticky/link is a link that user 65534'
call ./tuesday redact sticky/new sticky/slow
t "  nor into what is there" refused 'sticky/slow: File exists'
call ./tuesday redact sticky/new roots/red/
t "  and into its own new directory" [ "$status$(stat -c %a roots/red)" = 0700 ]

# Reports.

mkdir nobodys/roots

run_to roots/dm.json ./tuesday
for command in "run --replay listen -o json --to" "merge roots/dm.json -o json --to" "report roots/dm.json --html"; do
	# shellcheck disable=SC2086
	call ./tuesday $command sticky/full
	t "${command##* } does not write through another user's link to a device" \
		refused 'sticky/full: it is a symbolic link: name what it leads to'
	# shellcheck disable=SC2086
	call ./tuesday $command nobodys/up/elsewhere/report
	t "  nor through one's link on the way" refused 'nobodys/up is a link that user 65534 has made'
	# shellcheck disable=SC2086
	call ./tuesday $command nobodys/roots/report
	t "  but into one of root's in it, as Debian has for node_exporter" [ -s nobodys/roots/report ]
	# shellcheck disable=SC2086
	call ./tuesday $command open/report
	t "  nor into a directory where all may put one" refused 'open can be written to by others'
	# shellcheck disable=SC2086
	call ./tuesday $command sticky/report
	t "  but into one as /tmp" [ -s sticky/report ]
	rm sticky/report
done
t "and nothing was made" untouched
run_to sticky/link/report ./tuesday
t "--to does not follow another user's link to a directory" refused 'sticky/link is a link that user 65534'
run_to sticky/pipe ./tuesday
t "  nor write into another user's pipe" refused 'another user may have put it there'
run_to mine/report "${as_nobody[@]}" ./tuesday
t "a user writes where it is his own" [ -s mine/report ]
run_to sticky/mine "${as_nobody[@]}" ./tuesday
t "  and where all do" [ -s sticky/mine ]
chown -h 65533 sticky/full
run_to sticky/full "${as_nobody[@]}" ./tuesday
t "  but not through a third one's link" refused 'symbolic link'
chown -h 65533 sticky/link
run_to sticky/link/report "${as_nobody[@]}" ./tuesday
t "  on the way neither" refused 'sticky/link is a link that user 65533 has made'

if mknod roots/disk b 7 4000 2>/dev/null && mknod roots/device c 1 8; then
	run_to roots/disk ./tuesday
	t "a disk is not written to" refused 'roots/disk: it is a device or a socket'
	run_to roots/device ./tuesday
	t "  nor a device that may do something" refused 'roots/device: it is a device or a socket'
else
	skip "a disk is not written to" "no device can be made here"
fi
run_to /dev/null ./tuesday
t "/dev/null is" [ "$status" = 2 ]
./tuesday run --replay listen -o json --to /dev/stdout >through 2>err
ended=$?
t "/dev/stdout is what it is, a file" [ "$ended$(jq -r .verdict <through)" = 2bad ]
./tuesday run --replay listen -o json --to /dev/fd/9 9>through 2>err
t "  and so is /dev/fd/9" grep -q '"verdict":"bad"' through
is "$(./tuesday run --replay listen -o json --to /dev/stderr 2>&1 >/dev/null | jq -r .verdict)" bad "  or a pipe"
run_to /dev/fd/77 ./tuesday
t "  and one that nobody gave is none" refused '/dev/fd/77: '

(umask 077 && ./tuesday run --replay listen -o json --to roots/kept 2>err)
is "$(stat -c %a roots/kept)" 600 "who keeps his files to himself keeps a report"
(umask 077 && ./tuesday run --replay listen -o prometheus --to roots/kept.prom 2>err)
is "$(stat -c %a roots/kept.prom)" 644 "  but for metrics, which another user's exporter collects"

# The state, which is believed.

mkdir -m 755 roots/state
state() {
	call ./tuesday run clock --quick --no-trace --windows 1 --window 0.1 --state "$1"
}
state nobodys/up/roots/state
t "the state is not kept by a path through another user's link" says 'not this user.s own, or others may write'
t "  and nothing is there" [ -z "$(find roots/state -mindepth 1)" ]
mkdir -m 755 nobodys/state
state nobodys/state
t "  nor below a directory that is another user's" [ ! -e nobodys/state/history.db ]
state roots/state
t "where nobody else can put another it is kept" [ -s roots/state/history.db ]

# What sudo's caller says.

SUDO_UID=1 TUESDAY_STATE_DIR=$work/roots/state call ./tuesday history
t "whoever calls by sudo does not choose the state" says 'TUESDAY_STATE_DIR is not taken from the caller of sudo'
is "$(grep -c TUESDAY_STATE_DIR err)" 1 "  which is said once"
SUDO_UID=1 TUESDAY_WITHOUT=bpf,tracefs call ./tuesday run cpu --deep --quick --windows 1 --window 0.1 --no-history
t "  and switches nothing off" says 'TUESDAY_WITHOUT is not taken'

# Limits and descriptors.

(ulimit -f 0 && exec ./tuesday run clock --quick --no-trace --windows 1 --window 0.1 --state roots/state >/dev/null 2>&1)
t "a limit on the size of files does not end a run" [ $? -lt 4 ]
./tuesday record roots/deaf clock --quick --no-trace --window 0.1 --while \
	sh -c "readlink /proc/\$\$/fd/0 /proc/\$\$/fd/2 >$work/led" <&- >&- 2>&-
is "$(tr '\n' ' ' <led)" "/ / " "descriptors that were closed lead nowhere, and never to a file of ours"
plan
