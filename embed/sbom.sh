#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What is inside these programs that others wrote? sbom.sh VERSION PROGRAM=FILE[,FILE]... writes a bill
# of materials, SPDX 2.3 in JSON; the files are those of libraries.sh.
version=$1
shift
created=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)

quoted() {
	printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"
}

# package ID NAME VERSION [LOCATOR]
package() {
	printf '%s\n\t\t{\n\t\t\t"SPDXID": "SPDXRef-%s",\n\t\t\t"name": %s,\n\t\t\t"versionInfo": %s,\n' \
		"$comma" "$1" "$(quoted "$2")" "$(quoted "$3")"
	printf '\t\t\t"downloadLocation": "NOASSERTION",\n\t\t\t"filesAnalyzed": false'
	[ -z "$4" ] || printf ',\n\t\t\t"externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", %s"referenceLocator": %s}]' \
		'"referenceType": "purl", ' "$(quoted "$4")"
	printf '\n\t\t}'
	comma=,
}

# relation ID KIND ID
relation() {
	printf '%s\n\t\t{"spdxElementId": "SPDXRef-%s", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"}' \
		"$comma" "$1" "$2" "$3"
	comma=,
}

# The manager of packages by which a version is meant, as purl calls it.
kind() {
	if command -v dpkg-query >/dev/null; then
		printf 'deb/%s' "$(. /etc/os-release 2>/dev/null && printf %s "$ID")"
	else
		printf 'rpm/%s' "$(. /etc/os-release 2>/dev/null && printf %s "$ID")"
	fi
}

libraries() {
	for program; do
		printf %s "${program#*=}" | tr , '\n' | while read -r file || [ "$file" ]; do
			cat "$file"
		done
	done | sort -u
}

printf '{\n\t"spdxVersion": "SPDX-2.3",\n\t"dataLicense": "CC0-1.0",\n\t"SPDXID": "SPDXRef-DOCUMENT",\n'
printf '\t"name": %s,\n\t"documentNamespace": %s,\n' "$(quoted "tuesday-$version")" \
	"$(quoted "https://spdx.org/spdxdocs/tuesday-$version")"
printf '\t"creationInfo": {"created": "%s", "creators": ["Tool: tuesday-sbom"]},\n\t"packages": [' "$created"
comma=
for program; do
	package "${program%%=*}" "${program%%=*}" "$version"
done
libraries "$@" | {
	while read -r name its from; do
		locator=
		[ "$from" = - ] || locator="pkg:$(kind)/$from@$its"
		comma=,
		package "$name" "$name" "$its" "$locator"
	done
}
printf '\n\t],\n\t"relationships": ['
comma=
for program; do
	relation DOCUMENT DESCRIBES "${program%%=*}"
done
for program; do
	libraries "$program" | while read -r name _; do
		comma=,
		relation "${program%%=*}" STATIC_LINK "$name"
	done
done
printf '\n\t]\n}\n'
