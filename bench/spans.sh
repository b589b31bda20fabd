# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does the whole analysis of a build's spans cost, 400 MB of them, beside programs that only count
# and sum by name? With duckdb from npm: npm install @duckdb/node-api, and BENCH_NODE_PATH=…/node_modules.

SPAN_JOBS=${BENCH_SPAN_JOBS:-4500}

sums_of_python='
import json, sys
sums = {}
for line in open(sys.argv[1]):
    span = json.loads(line)
    sum = sums.setdefault(span["name"], [0, 0])
    sum[0] += 1
    sum[1] += span["duration"]
for name in sorted(sums):
    print(name, *sums[name])
'
# shellcheck disable=SC2016
sums_of_jq='reduce inputs as $s ({}; .[$s.name][0] += 1 | .[$s.name][1] += $s.duration) |
	to_entries | sort_by(.key)[] | "\(.key) \(.value[0]) \(.value[1])"'
# shellcheck disable=SC2016
sums_of_duckdb='
const { DuckDBInstance } = require("@duckdb/node-api");
(async () => {
	const db = await (await DuckDBInstance.create(":memory:", { threads: "2" })).connect();
	const sums = await db.runAndReadAll(`SELECT name, count(*)::VARCHAR, sum(duration)::VARCHAR FROM
		read_ndjson("$file", columns={name: "VARCHAR", duration: "BIGINT"}) GROUP BY name ORDER BY name`
			.replace(/"/g, "\u0027").replace("$file", process.argv[1]));
	console.log(sums.getRows().map((row) => row.join(" ")).join("\n"));
})();
'

sums_of_sqlite() {
	cat <<END
CREATE TABLE lines(line TEXT);
.mode ascii
.separator "\001" "\n"
.import $1 lines
.mode list
.separator " "
SELECT json_extract(line, '\$.name') AS name, count(*), sum(json_extract(line, '\$.duration')) FROM lines GROUP BY name ORDER BY name;
END
}

# spans_by NAME: one run, whose sums are left in the file of its output.
spans_by() {
	case $1 in
	tuesday) cost "spans.$1" 0 "$BIN/spandiagnose" -n 1000 -o json "$TMP/spans.ndjson" ;;
	duckdb) cost "spans.$1" 0 env NODE_PATH="$BENCH_NODE_PATH" node -e "$sums_of_duckdb" "$TMP/spans.ndjson" ;;
	python3) cost "spans.$1" 0 python3 -c "$sums_of_python" "$TMP/spans.ndjson" ;;
	jq) cost "spans.$1" 0 jq -nr "$sums_of_jq" "$TMP/spans.ndjson" ;;
	sqlite3)
		sums_of_sqlite "$TMP/spans.ndjson" >"$TMP/spans.sql"
		rm -f "$TMP/spans.db"
		cost "spans.$1" 0 sqlite3 "$TMP/spans.db" ".read $TMP/spans.sql"
		;;
	esac
}

bench_spans() {
	peers=
	for name in python3 jq sqlite3; do
		! have "$name" "$name" || peers="$peers $name"
	done
	if [ -n "${BENCH_NODE_PATH:-}" ] && have node nodejs; then
		peers="$peers duckdb"
	else
		echo "  duckdb: not asked; npm install @duckdb/node-api and BENCH_NODE_PATH=…/node_modules"
	fi
	"$BUILD/faults/spans" "jobs=$SPAN_JOBS" parallel=400 headers=312 >"$TMP/spans.ndjson"
	echo "The spans of a build, $(du -m "$TMP/spans.ndjson" | cut -f 1) MiB: the whole analysis, beside sums alone (CPU time, median of $ROUNDS;"
	echo "python3, jq and sqlite3 once):"
	for _ in $(seq "$ROUNDS"); do
		for name in $(shuf -e tuesday "$(echo "$peers" | grep -o duckdb)"); do
			start=$(date +%s.%N)
			spans_by "$name" || return 0
			echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }' >>"$TMP/wall.spans.$name"
		done
	done
	jq -r '.names | sort_by(.name)[] | "\(.name) \(.count) \(.sum_ns)"' "$TMP/cost.spans.tuesday.out" >"$TMP/spans.sums"
	for name in $peers; do
		[ "$name" = duckdb ] || spans_by "$name" || continue
		cmp -s "$TMP/spans.sums" "$TMP/cost.spans.$name.out" || echo "  $name has other sums"
	done
	cost_row spans.tuesday spans.tuesday "spandiagnose, everything"
	for name in $peers; do
		cost_row "spans.$name" spans.tuesday "$name, sums"
	done
	awk -v wall="$(median "$TMP/wall.spans.tuesday" 1)" -v theirs="$(median "$TMP/wall.spans.duckdb" 1 2>/dev/null)" \
		'BEGIN { printf "  in all %.3f s", wall; if (theirs) printf ", duckdb and the start of node %.3f s", theirs; print "" }'
	target "no more CPU time than duckdb's sums" "$(median "$TMP/spans.tuesday" 1)" "$(median "$TMP/spans.duckdb" 1 2>/dev/null)" 1
	target "under 150 MiB" "$(median "$TMP/spans.tuesday" 2)" 157286400 1
	rm -f "$TMP/spans.ndjson" "$TMP/spans.db"
	echo
}
