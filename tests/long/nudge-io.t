#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a limit of a disk come and go with a nudge? It may be any disk, or none that is throttled.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/nudge.sh
. "$(dirname "$0")/../nudge.sh"
needs jq
begin
nudging

dd if=/dev/zero of="$scratch/file" bs=64k count=256 2>/dev/null
sync "$scratch/file"
if [ -n "$blkio" ] && [ -e "$blkio/blkio.throttle.read_bps_device" ] &&
	start reads "$helpers/counter" read "$scratch/file" "$scratch/reads.count" 60; then
	group reads "$blkio"
	nudge --io "/tuesday-nudge-$$-reads" --metric "$(counts reads)" --by 50% --yes
	if grep -q 'too little' "$scratch/nudge.err"; then
		skip "a limit of a disk comes and goes" "reads of this file system are no cgroup's"
	else
		is "$(jq -r '.kind, .rounds >= 3' <<<"$answer" | tr '\n' ' ')$(cat "$blkio/tuesday-nudge-$$-reads/blkio.throttle.read_bps_device")" \
			"io true " "a limit of a disk comes and goes"
	fi
	stop reads
else
	skip "a limit of a disk comes and goes" "there is no cgroup v1 with limits for disks here"
fi

plan
