#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the suite install where it is told to, as one program and links, and leave nothing when it goes?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
command -v make >/dev/null || {
	echo "1..0 # SKIP needs the program make"
	exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# makes TARGET [VARIABLE=VALUE...]: with the programs that were built, whatever git says by now.
makes() {
	make -s BIN="$BIN" BUILD="$BUILD" DESTDIR="$work/root" VERSION="$(cat "$BUILD/version")" "$@" \
		>"$work/make.out" 2>&1
}

# in_root SENTENCE COMMAND...: in the installed tree; what it prints is what is wrong.
in_root() {
	local sentence=$1

	shift
	is "$(cd "$work/root" && "$@" 2>&1 | head -n 5)" "" "$sentence"
}

names_other_prefix() {
	grep -rlE "/usr/local/(bin|share/(doc/)?tuesday)" opt/suite/share/tuesday opt/suite/lib/systemd
}

names_missing_files() {
	local file

	grep -rohE '/opt/suite/[A-Za-z0-9_./-]+' opt/suite/share/tuesday opt/suite/lib/systemd | sort -u |
		while read -r file; do
			[ -e ".${file%.}" ] || echo "$file"
		done
}

broken_links() {
	find opt/suite/bin -xtype l
	find opt/suite/bin -lname '/*'
}

other_modes() {
	local file

	(cd "$root" && find dist -type f ! -name install.mk | grep -vE '^dist/(man|completion|debian|rpm|arch|container)/') | while read -r file; do
		[ "$(stat -c %a "$root/$file")" = "$(stat -c %a "opt/suite/share/tuesday/${file#dist/}")" ] ||
			echo "$file"
	done
}

# exposed UNIT MOST: tenths, of how much of the machine a service could use. What it says differs little by version.
exposed() {
	local said

	said=$(systemd-analyze security --offline=yes --no-pager "systemd/$1" 2>&1)
	if ! grep -q 'Overall exposure level' <<<"$said"; then
		skip "$1 has its walls" "no systemd-analyze that judges a file"
		return
	fi
	said=$(sed -n 's/.*exposure level[^:]*: \([0-9]*\)\.\([0-9]\).*/\1\2/p' <<<"$said")
	if [ "$said" -le "$2" ]; then pass "$1 has its walls"; else fail "$1 is exposed by $said tenths, not $2"; fi
}
exposed tuesday.service 53
exposed tuesday-undo.service 60

works "make install follows PREFIX" makes install PREFIX=/opt/suite
[ -x "$work/root/opt/suite/bin/tuesday" ] || why <"$work/make.out"
in_root "no file of dist or systemd names another prefix" names_other_prefix
in_root "every file that they name below it is there" names_missing_files
in_root "every link points to a program beside it" broken_links
in_root "scripts stay scripts" other_modes
is "$(grep -c ^ExecStart= "$work/root/opt/suite/lib/systemd/system/multi-user.target.wants/tuesday-undo.service")" 1 \
	"what puts back after a crash is enabled by being installed"
is "$(find "$work/root" -path '*/bin/*' -type f ! -name '*.debug' -printf '%f\n' | sort | paste -sd ' ')" \
	"keepalivediagnose tuesday" "there are two programs"
is "$(grep -c '"SPDX-2.3"' "$work/root/opt/suite/share/doc/tuesday/tuesday.spdx.json")" 1 \
	"the bill of materials lies beside the documents"
missing=$(for ini in checks.d/*.ini checks.d/*/*.ini; do
	name=$(basename "$ini" .ini)health
	[ -x "$work/root/opt/suite/bin/$name" ] || echo "$name"
done)
is "$missing" "" "every check has its tool, those of known issues too"
is "$("$work/root/opt/suite/bin/cpuhealth" --help | head -n 1)" "Usage: cpuhealth [OPTION...]" \
	"a tool answers to its name where it was installed"
# Of these SQLite, libbpf and the C library are 2.6 MB, the tracers, each in the two forms in which they load, 1.9 MB,
# the checks, which are read at each start and so are not compressed, half a megabyte, the probes of the diagnose tools
# 0.7, and the documents 0.2 MB.
bytes=$(du -cbL "$work/root/opt/suite/bin/tuesday" | tail -n 1 | cut -f 1)
if [ "$bytes" -le 9000000 ]; then pass "the program is at most 9 MB"; else fail "the program is $bytes bytes"; fi
kib=$(du -sk "$BIN" | cut -f 1)
if [ "$kib" -le 28000 ]; then pass "all programs are at most 28 MB"; else fail "all programs are $kib KiB"; fi
# It needs nobody to load it, whether it lies at one address or at any.
is "$(ldd "$work/root/opt/suite/bin/tuesday" 2>&1 | grep -c '=>')" 0 "the program is static"

echo kept >"$work/root/opt/suite/share/tuesday/mine"
works "make uninstall follows PREFIX" makes uninstall PREFIX=/opt/suite
is "$(cd "$work/root" && find . ! -type d)" "./opt/suite/share/tuesday/mine" \
	"it takes away all that it installed, and nothing of anybody else's"
plan
