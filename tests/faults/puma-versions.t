#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a known issue of Puma looked for where a Puma runs that has it, whoever installed it, and not where all that
# run are fixed? A Puma is its title here: the real 5.6.5 is in keepalive.t, and Debian 12 has no newer one.
# shellcheck source=tests/lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"
needs jq ip unshare chroot
# Pumas of others count as well: here are none but ours. Whoever cleans up after the test may end before all is over.
[ "${OWN_PROCESSES:-}" = "$0" ] || OWN_PROCESSES=$0 exec unshare --net --pid --fork --kill-child --mount-proc \
	bash -c '"$1"; ended=$?; for ((i = 0; i < 100; i++)); do kill -0 -1 2>/dev/null || break; sleep 0.05; done
		exit $ended' - "$0"
ip link set lo up
begin

# pumas TAG TITLE PORT: a server of that title, before which two connections wait, of which it takes none.
pumas() {
	start "$1" bash -c 'exec -a "$1" "$2" "$3" 8 100 200 600' - "$2" "$helpers/deaf" "$3"
}

look() {
	examine --quick puma-keepalive
}

pumas fixed 'puma 7.1.0 (tcp://127.0.0.1:4331) [shop]' 4331
look
check_that "a Puma whose title says 7.1.0 has no such issue, whatever Debian has installed" puma-keepalive \
	'.verdict == "skip" and (.summary | contains("puma is of version 7.1.0, not < 7"))'

pumas worker 'puma: cluster worker 0: 1 [shop]' 4333
look
check_that "and its workers, whose titles have no version, are of the same" puma-keepalive '.verdict == "skip"'
stop worker

pumas ill 'puma 5.6.5 (tcp://127.0.0.1:4332) [shop]' 4332
look
check_that "beside it one of 5.6.5 is looked at, and connections wait there" puma-keepalive \
	'.metrics[] | select(.name == "waiting_connections_count") | (.instance | endswith(":4332")) and .value >= 1'
stop ill
stop fixed

# A container has a root of its own, and what is installed there counts.
mkdir -p "$scratch/box/lib/apk/db" "$scratch/box/usr"
for link in bin sbin lib64; do
	[ ! -L "/$link" ] || ln -s "usr/$link" "$scratch/box/$link"
done
printf 'P:puma\nV:8.0.2-r0\n\n' >"$scratch/box/lib/apk/db/installed"
# contained TAG: a Puma that says nothing of its version.
contained() {
	start "$1" unshare -m bash -c 'mount --bind /usr "$1/usr" && ln -sfn ../usr/lib/x86_64-linux-gnu \
		"$1/lib/x86_64-linux-gnu" && exec chroot "$1" /usr/bin/bash -c "echo ready; exec -a puma /usr/bin/sleep 60"' \
		- "$scratch/box"
	until_true 20 pgrep -f '^puma 60'
}
if [ -L /bin ] && contained boxed; then
	look
	check_that "a Puma in a container is of the version that its own root has" puma-keepalive \
		'.verdict == "skip" and (.summary | contains("8.0.2"))'
	rm "$scratch/box/lib/apk/db/installed"
	look
	check_that "and where that says nothing it is unknown, never skipped" puma-keepalive \
		'.verdict == "unknown" and (.summary | contains("which version it is cannot be told"))'
	stop boxed
else
	skip "a Puma in a container is of the version that its own root has" "no such root can be made"
fi
plan
