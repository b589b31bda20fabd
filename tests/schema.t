#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does every JSON report satisfy the JSON Schema that is shipped: of recorded machines, of this one, of a single tool?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
python=
for candidate in python3 /usr/bin/python3; do
	if "$candidate" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
		python=$candidate
		break
	fi
done
if [ -z "$python" ] || ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs the program jq, and python3-jsonschema"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
export BIN work
mkdir "$work/reports"
cd "$work" || exit 1

# All recordings, and each fourth machine made by hand.
mapfile -t names < <(cd "$root/tests/replay" && basename -as .tar.gz ./*.tar.gz && basename -as .tree ./*.tree | awk 'NR % 4 == 0')
"$root/tests/replay/unpack" "$work/machines" "${names[@]}"
# shellcheck disable=SC2016
find machines -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | xargs -P "$(nproc)" -I{} sh -c \
	'"$BIN/tuesday" run --replay "machines/{}" --no-history -o json >"reports/{}.json" 2>/dev/null'
"$BIN/tuesday" run --quick --no-history -o json >reports/live.json 2>/dev/null
"$BIN/tuesday" cpuhealth --quick --deep -o json >reports/tool.json 2>/dev/null
# What has all that a report can have, and what must not pass.
jq '.checks[0].verdict = "fine"' reports/live.json >wrong-word.json
jq 'del(.checks[0].metrics)' reports/live.json >wrong-missing.json
jq '.checks[0].metrics[0].value = "1.0"' reports/live.json >wrong-type.json
jq '.schema = "tuesday/2"' reports/live.json >wrong-schema.json

"$python" - "$root/docs/tuesday-1.schema.json" reports/*.json wrong-*.json >said <<-'END'
	import json, jsonschema, sys

	schema = json.load(open(sys.argv[1]))
	jsonschema.Draft202012Validator.check_schema(schema)
	validator = jsonschema.Draft202012Validator(schema)
	for name in sys.argv[2:]:
	    error = next(validator.iter_errors(json.load(open(name))), None)
	    print(name, "ok" if error is None else "/".join(map(str, error.absolute_path)) + ": " + error.message[:200])
END
is $? 0 "the schema is one"
t "there are reports: $(grep -c ^reports/ said)" test "$(grep -c ^reports/ said)" -gt 100
grep '^reports/' said | grep -v ' ok$' >refused
is "$(wc -l <refused)" 0 "each satisfies it"
why <refused
is "$(grep -c '^wrong.* ok$' said)" 0 "and what is wrong does not"
plan
