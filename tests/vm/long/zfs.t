#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Real ZFS with an L2ARC in three truths: its disk is slow and it harms; the pool's is and it helps; neither is. What
# does a plain run say, and what the experiment?
# shellcheck source=tests/vm/vm.sh
. "$(dirname "$0")/../vm.sh"
if [ ! -e "$vm_cache/programs/usr/sbin/zpool" ]; then
	echo "1..0 # SKIP no ZFS was built: $(cat "$vm_cache/why-no-zfs" 2>/dev/null || echo make vm-check-long does it)"
	exit 0
fi
vm_devices="-m 4096"
vm_patience=1200
vm_carry=$here/long/l2arc.sh

# truth NAME POOL CACHE VERDICT: milliseconds of a read of each, and what the experiment has to say.
truth() {
	guest 6.1 < <(
		printf 'name="%s" slow_pool=%s slow_cache=%s verdict_wanted="%s"\n' "$@"
		cat <<'END'
. /share/l2arc.sh
ln -s "$BIN/tuesday" l2archealth
if ! vm_pool "$slow_pool" "$slow_cache"; then
	echo "not ok - $name: a pool can be made"
	exit
fi
vm_read 1000
until_true 240 is_warm
t "$name: the cache is warm" is_warm
./l2archealth -o json >report.json 2>errors
plain=$(verdict l2arc)
case $verdict_wanted in
bad)
	t "$name: a plain run does not clear it" grep -qxE 'maybe|bad' <<<"$plain"
	jq -r '.checks[0] | "why - \(.verdict): \(.summary // .reason)", (.metrics[] | "why - \(.name) \(.verdict) \(.value)")' report.json
	;;
*) is "$(accused l2arc | grep -c '^bad')" 0 "$name: a plain run has a doubt at most" ;;
esac
case $plain in
maybe | bad)
	t "$name: and offers to take it away" jq -e '[.checks[0].offers[].command | contains("--yes l2arc/offline")] | any' report.json
	;;
*) echo "skip - $name: and offers to take it away" ;;
esac
before=$(pool_state)
shorter
begun=$SECONDS
./l2archealth -c /tmp/layer --yes=l2arc/offline -o json >report.json 2>errors
took=$((SECONDS - begun))
jq -r '.checks[0] | "why - \(.verdict): \(.summary)", (.experiments[]? | "why - \(.answer) \(.effect // "") \(.summary // .reason // "")")' \
	report.json
echo "why - the experiment took $took s"
is "$(verdict l2arc)" "$verdict_wanted" "$name: after the experiment it is $verdict_wanted"
is "$(pool_state)" "$before" "$name: the pool is as it was"
kill "${readers[@]}"
END
	)
}
truth "a cache that is slow" 0 40 bad
truth "a pool that is slow" 40 0 good
truth "neither slow" 0 0 good
plan
