#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the shipped check files agree with the tools and documents beside them: is each tool that digs named where it
# helps, and does a file say the same as the table of experiments of what was ever run?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

# value FILE SECTION KEY: with its further lines.
value() {
	awk -v section="[$2]" -v key="$3" '/^\[/ { on = $0 == section }
		/^[^ \t]/ { found = on && $1 == key && $2 == "=" }
		found { sub(/^[^=]*= /, ""); gsub(/[ \t]+/, " "); printf "%s ", $0 }' "$1"
}

# A tool that digs for the same part is the next step of its check; any other one that of some check, but for
# tracediagnose: what that looks at is said by whoever runs it.
for tool in tools/*diagnose.c; do
	name=$(basename "$tool" diagnose.c)
	[ "$name" != trace ] || continue
	if [ -e "checks.d/$name.ini" ]; then
		next=$(value "checks.d/$name.ini" check next)
		works "${name}health names ${name}diagnose" grep -qw "${name}diagnose" <<<"$next"
	else
		works "some check names ${name}diagnose" grep -qw "^[n ].*${name}diagnose" checks.d/*.ini checks.d/recent/*.ini
	fi
done

# The last column of the table: live, tree or never, in words.
said() {
	awk -F' *[|] *' -v name="\`$1\`" '$2 == name { seen = $(NF - 1) }
		END { print seen ~ /^(yes|on |the same)/ ? "live" : seen ~ /^its commands/ ? "tree" : seen == "no" ? "never" : seen }' \
		docs/experiments.md
}

# seen FILE NAME: as the section says, or else the check.
seen() {
	local own

	own=$(value "$1" "experiment $2" seen)
	[ "$own" ] || own=$(value "$1" check seen)
	echo "${own% }"
}

for file in checks.d/*.ini checks.d/recent/*.ini; do
	check=$(basename "$file" .ini)
	while read -r name; do
		if [ "$(value "$file" "experiment $name" refused)" ]; then
			is "$(said "$check/$name")" – "$check/$name is refused, as its document says"
		else
			is "$(seen "$file" "$name")" "$(said "$check/$name")" "$check/$name was run as its document says"
		fi
	done < <(sed -n 's/^\[experiment \(.*\)\]$/\1/p' "$file")
done
plan
