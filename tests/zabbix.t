#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is the template for Zabbix whole, with items that there are and series that Tuesday writes?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C.UTF-8

python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import yaml' 2>/dev/null && python=$candidate && break
done
"$BIN/tuesday" run cpu memory listen --quick --no-trace --no-history -o prometheus >tuesday.prom 2>/dev/null
cat >whole.py <<'END'
import re, sys, yaml
template, conf, prom = sys.argv[1:]
export = yaml.safe_load(open(template))["zabbix_export"]
assert export["version"] == "6.0"
(it,) = export["templates"]
key = re.search(r"^UserParameter=([^,]+),cat /\S+$", open(conf).read(), re.M).group(1)
items = {i["key"]: i for i in it["items"]}
rules = {r["key"]: r for r in it["discovery_rules"]}
prototypes = {p["key"]: p for r in rules.values() for p in r["item_prototypes"]}
assert key in items, "the agent's key is no item"
everything = [*items.values(), *rules.values(), *prototypes.values()]
uuids = re.findall(r"uuid: (\S+)", open(template).read())
assert len(set(uuids)) == len(uuids) and all(re.fullmatch(r"[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}", u) for u in uuids), "uuids"
text = open(prom).read()
patterns = 0
for one in everything:
    if one["key"] == key:
        continue
    assert one["type"] == "DEPENDENT" and one["master_item"]["key"] == key, one["key"]
    for step in one["preprocessing"]:
        if not step["type"].startswith("PROMETHEUS"):
            continue
        patterns += 1
        pattern = step["parameters"][0].replace("{#CHECK}", "cpu")
        name, labels = re.fullmatch(r"([a-z_]+)(\{.*\})?( == 1)?", pattern).group(1, 2)
        found = [l for l in text.splitlines() if re.match(re.escape(name) + r"[{ ]", l)]
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels or ""):
            found = [l for l in found if f'{label}="{value}"' in l]
        assert found, f"no such series: {pattern}"
triggers = [t for i in items.values() for t in i.get("triggers", [])] + [
    t for p in prototypes.values() for t in p.get("trigger_prototypes", [])]
for trigger in triggers:
    named = re.findall(r"/([^/]+)/([^,)]+(?:\])?)", trigger["expression"])
    assert named, trigger["expression"]
    for of, item in named:
        assert of == it["template"] and (item in items or item in prototypes), (of, item)
for rule in rules.values():
    assert rule["lld_macro_paths"][0]["path"] == "$.labels.check"
    macro = rule["filter"]["conditions"][0]["value"]
    small = [m["value"] for m in it["macros"] if m["macro"] == macro][0]
    assert re.match(small, "disk") and not re.match(small, "audit"), "by default it is few checks"
print(len(items), len(triggers), patterns)
END
if [ -n "$python" ]; then
	call "$python" whole.py "$root/dist/zabbix/tuesday.yaml" "$root/dist/zabbix/tuesday.conf" tuesday.prom
	t "the template is whole: keys, series, triggers" [ "$status" = 0 ]
	sed 's/tuesday_run_seconds/tuesday_run_minutes/' "$root/dist/zabbix/tuesday.yaml" >wrong.yaml
	call "$python" whole.py wrong.yaml "$root/dist/zabbix/tuesday.conf" tuesday.prom
	t "and a series that is none would be found" grep -q 'no such series: tuesday_run_minutes' err
else
	skip "the template is whole: keys, series, triggers" "needs python3-yaml"
fi

plan
