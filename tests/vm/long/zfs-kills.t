#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The experiment that takes a real L2ARC away is killed at 200 random moments, in one guest: is the pool as it was each
# time? In one of four its keepers are killed with it, and 'tuesday undo' has to put it back. None is waited out: it
# looks as briefly as it may before it turns the knob, and is killed within the seconds in which it turns it.
# shellcheck source=tests/vm/vm.sh
. "$(dirname "$0")/../vm.sh"
if [ ! -e "$vm_cache/programs/usr/sbin/zpool" ]; then
	echo "1..0 # SKIP no ZFS was built: $(cat "$vm_cache/why-no-zfs" 2>/dev/null || echo make vm-check-long does it)"
	exit 0
fi
vm_devices="-m 4096"
vm_patience=5400
vm_carry=$here/long/l2arc.sh
guest 6.1 < <(
	echo "RANDOM=1 kills=${KILLS:-200} every=${EVERY:-4}"
	cat <<'END'
. /share/l2arc.sh
if ! vm_pool 0 0; then
	echo "not ok - a pool can be made"
	exit
fi
shorter
printf 'rounds = 200\n' >>/tmp/layer/l2arc.ini
sed -i 's/^measure = .*/measure = 100ms/; s/^settle = .*/settle = 0/' /tmp/layer/l2arc.ini
vm_read 5300
until_true 120 is_warm
before=$(pool_state)
is "$before" "pool ONLINE pooldisk ONLINE cachedisk ONLINE " "the pool is whole at first"

# Everything that the run has begun, itself the last.
family() {
	local child

	for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		family "$child"
	done
	echo "$1"
}
as_it_was() {
	[ "$(pool_state)" = "$before" ]
}
undone() {
	"$BIN/tuesday" undo >/dev/null 2>&1
}
changed=0 left=0 away=0
for ((i = 0; i < kills; i++)); do
	"$BIN/tuesday" run l2arc -c /tmp/layer --windows 1 --window 0.1 --no-trace --yes=l2arc/offline >/dev/null 2>&1 &
	run=$!
	sleep $((3 + RANDOM % 5)).$((RANDOM % 10))
	as_it_was || away=$((away + 1))
	if [ $((i % ${every:-4})) = 0 ]; then
		# Keepers leave the family of who began them: all that runs is killed.
		kill -KILL $(family $run) $(pgrep -x tuesday) 2>/dev/null
		wait $run 2>/dev/null
		# A command of the experiment that was under way is not ended by that, and has its lock.
		until_true 60 undone
	else
		kill -KILL $run
		wait $run 2>/dev/null
	fi
	until_true 30 as_it_was
	if ! as_it_was; then
		changed=$((changed + 1))
		echo "why - kill $i left: $(pool_state), undo says $("$BIN/tuesday" undo --list 2>&1 | tr '\n' ' ')"
		"$BIN/tuesday" undo >/dev/null 2>&1
	fi
	until_true 30 sh -c '! pgrep -x tuesday >/dev/null'
	"$BIN/tuesday" undo --list 2>/dev/null | grep -q offline && left=$((left + 1))
done
is "$changed" 0 "after $kills kills the pool was as before"
is "$left" 0 "and nothing was left to undo"
t "the device was away in some of them: in $away" test "$away" -ge $((kills / 20))
echo "why - $kills kills took $SECONDS s"
END
)
plan
