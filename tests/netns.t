#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does somebody without rights know when there is no other network namespace, and when there may be one?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
for program in jq setpriv unshare; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
if [ "$(id -u)" != 0 ] || ! unshare --net --pid --fork --mount-proc true 2>/dev/null; then
	echo "1..0 # SKIP needs root, and namespaces"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-netns.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
install -m 755 "$BIN/tuesday" "$work/program"

# What runs in a list of processes of its own: process 1 of it belongs to root, and ends with all others.
cat >"$work/inside" <<'END'
[ ! -d /run/netns ] || mount -t tmpfs none /run/netns
as() {
	exec setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"
}
eval "$1"
until_there() {
	for _ in {1..100}; do
		ps -o state= -u 65534 | grep -q "$1" && return
		sleep 0.05
	done
}
until_there "$2"
(as 65533 "$3" run tcp --no-trace --quick -o json)
END

# seen STATE COMMANDS: what is said of namespaces beside a process of somebody else in that state.
seen() {
	unshare --net --pid --fork --mount-proc bash "$work/inside" "$2" "$1" "$work/program" 2>"$work/err" |
		jq -r '.checks[0].howevers // [] | .[]'
	head -c 300 "$work/err" | why
}

is "$(seen S '(as 65534 sleep 60) &')" "" "a process of somebody else that shows our counters leaves no doubt"
# shellcheck disable=SC2016 # the shell inside is meant
is "$(seen Z '(as 65534 bash -c "sleep 0.1 & exec sleep 60") &')" "" "nor does a zombie"
is "$(seen S '(exec unshare --net setpriv --reuid=65534 --regid=65534 --clear-groups sleep 60) &')" \
	"other network namespaces need CAP_SYS_ADMIN and CAP_SYS_PTRACE: run as root" \
	"one that shows other counters does"
plan
