# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does it cost to fold 10,000 reports of whole machines, beside a jq that only counts the verdicts
# of each check?

MERGED=${BENCH_HOSTS:-10000}

make_reports() {
	"$BIN/tuesday" run --quick --no-trace -o json >"$TMP/template.json" 2>/dev/null || true
	"$BUILD/bench/reports" "$TMP/template.json" "$TMP/reports" "$MERGED"
	find "$TMP/reports" -name '*0.json' -exec cat {} + >"$TMP/tenth"
	make_hostile "$TMP/reports/hostile"
}

# What somebody sends who wants the merge to fail: it is refused and counted. 100,000 small reports that
# each would get room for the checks of one, braces that are each refused, and gigabytes of nothing.
make_hostile() {
	mkdir -p "$1"
	{
		awk 'BEGIN {
			for (k = 0; k < 2; k++) {
				printf "{\"schema\":\"tuesday/1\",\"host\":\"a%d\",\"verdict\":\"good\",\"checks\":[", k
				for (i = 0; i < 1000; i++)
					printf "%s{\"check\":\"c%d-%d\",\"verdict\":\"good\"}", i ? "," : "", k, i
				print "]}"
			}
			for (i = 0; i < 60000; i++)
				printf "{\"schema\":\"tuesday/1\",\"host\":\"h%d\",\"verdict\":\"good\"}\n", i
			for (i = 0; i < 30000; i++)
				printf "{\"schema\":\"tuesday/1\",\"host\":\"h\",\"boot_id\":\"%d\",\"verdict\":\"good\"}\n", i
		}'
	} | gzip >"$1/bomb.json.gz"
	yes '{' | head -n 200000 >"$1/braces.json"
	head -c 1G /dev/zero | tr '\0' ' ' | gzip -1 >"$1/blanks.json.gz"
}

# The peer gets a tenth of them, since it needs ten times as long, and its cost is scaled up; its memory
# is as it is.
# shellcheck disable=SC2016
merge_of() {
	case $1 in
	tuesday) cost merge.tuesday 2 "$BIN/tuesday" merge "$TMP/reports" ;;
	jq) cost merge.jq 0 jq -n 'reduce (inputs | .checks[]) as $c ({}; .[$c.check][$c.verdict] += 1)' \
		"$TMP/tenth" ;;
	esac
}

bench_merge() {
	echo "Folding $MERGED reports of whole machines, hostile ones among them (median of $ROUNDS):"
	have jq jq || return 0
	make_reports
	echo "  $(du -sm "$TMP/reports" | cut -f 1) MiB of JSON"
	merge_of tuesday >/dev/null
	rm -f "$TMP/merge.tuesday"
	for _ in $(seq "$ROUNDS"); do
		for name in $(shuf -e tuesday jq); do
			start=$(date +%s.%N)
			merge_of "$name" || return 0
			echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }' >>"$TMP/wall.$name"
		done
	done
	awk -v wall="$(median "$TMP/wall.tuesday" 1)" -v cpu="$(median "$TMP/merge.tuesday" 1)" \
		-v rss="$(median "$TMP/merge.tuesday" 2)" -v jq="$(median "$TMP/merge.jq" 1)" \
		-v jq_rss="$(median "$TMP/merge.jq" 2)" -v hosts="$MERGED" 'BEGIN {
		printf "  tuesday merge            %6.2f s CPU, %.2f s in all, %.1f MiB\n", cpu, wall,
			rss / 1048576
		printf "  jq, counting (10 x 10 %%) %6.2f s CPU, %.1f MiB   %.0f times ours\n", jq * 10,
			jq_rss / 1048576, jq * 10 / cpu
		if (hosts == 10000)
			printf "  target: under 2 s and 200 MiB: %s\n",
				wall < 2 && rss < 200 * 1048576 ? "met" : "NOT met"
	}'
	rm -rf "$TMP/reports" "$TMP/tenth"
	echo
}
