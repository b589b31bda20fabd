#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Formatting, static analysis, shipped check files, licence lines.
cd "$(dirname "$0")/.." || exit 1
bin=${BIN:-bin}
n=0

# t SENTENCE COMMAND...: one test, skipped where its first word is not installed.
t() {
	sentence=$1
	shift
	n=$((n + 1))
	if ! command -v "$1" >/dev/null; then
		echo "ok $n - $sentence # SKIP $1 is not installed"
	elif output=$("$@" 2>&1); then
		echo "ok $n - $sentence"
	else
		echo "not ok $n - $sentence"
		printf '%s\n' "not ok $n - $sentence" "$output" | head -n 40 | sed 's/^/# /' >&2
	fi
}

# none COMMAND...: a grep that has looked, and found nothing.
none() {
	"$@"
	[ $? = 1 ]
}

without_licence() {
	[ -n "$(git ls-files -- '*.c')" ] && ! git ls-files -z '*.[chS]' '*.t' '*.sh' '*.ini' '*.jq' '*.ru' '*.py' '*.js' '*.go' '*.lua' \
		Makefile bpf/bpf.mk deps.mk dist/install.mk tests/tests.mk .ci/run bench/run tests/*/run tests/truth tests/matrix \
		tests/run tests/one tests/skips tests/replay/judge |
		xargs -0 grep -L 'SPDX-License-Identifier' | grep .
}

# The source meminfo has bytes, where /proc/meminfo has KiB.
with_units() {
	grep -q 'meminfo:' checks.d/*.ini && none grep -nE 'meminfo:[A-Za-z_()]+ *[<>]=? *[1-9][0-9]*( |$)' checks.d/*.ini checks.d/*/*.ini
}

# Incidents are typed by comparing areas, so one part of the system has one name: what the report page
# takes for another spelling is not used here.
with_one_name_an_area() {
	! sed -n 's/^also *= *//p' tools/report/system.ini | tr ' ' '\n' | grep . |
		sed 's/.*/^area *= *&$/' | grep -rnf - checks.d
}

# What is printed of a check is read alone, at night, and searched for: a phrase says what it is about, and a command
# can be pasted as it stands and ends within a screen or two on a large machine.
# shellcheck disable=SC2016
with_words_of_their_own() {
	! find checks.d -name '*.ini' -print0 | sort -z | xargs -0 awk '
function complain(what)
{
	print FILENAME ":" FNR ": " what ": " $0
}
/^[a-z]/ { key = $1 }
length > 120 { complain("more than 120 columns") }
key ~ /^(say|clear)$/ && /= *(none|they|its|half of them|no stall|no warning|no error)( |$)/ && !/ of | in / { complain("of what?") }
key ~ /^(say|clear)$/ && /( of (them|these) |st(oo|an)ds? still for|stood in line|[{]value[}] (dropped|killed|left)$)/ {
	complain("a riddle")
}
key ~ /^(next|remedy)$/ && /[ \/](ADDRESS|CGROUP|DEVICE|DIR|DISK|FILE|HOST|IFACE|INTERFACE|MOUNT|NAME|PID|TARGET)( |,|\/|$)/ {
	complain("is there no {instance}, {who} or {pid}?")
}
key == "next" && /pidstat -t|sysctl -a($|,)|sysrq-trigger/ { complain("too much for a large machine") }
' | grep .
}

# A kind of line of the kernel's log that no check asks for is read in vain.
with_log_judged() {
	[ "$(grep -c '^	{"[a-z]' lib/sources/kernel/klog_patterns.h)" -gt 20 ] && ! sed -n 's/^\t{"\([a-z0-9_]*\)", .*/\1/p' lib/sources/kernel/klog_patterns.h | sort -u | while read -r field; do
		grep -rqE "klog:([*]\\.)?${field}(_in_[0-9]|_age_seconds|[^a-z_]|\$)" checks.d || echo "no check asks for klog:$field"
	done | grep .
}

# What is poisoned there must not be called anywhere.
with_banned_first() {
	! find lib tools embed/pack.c bpf/tracer.c -name '*.c' -exec awk '
	FNR == 1 { seen = 0 }
	/^#[ \t]*include/ && !seen++ && $0 != "#include \"base/banned.h\"" {
		print FILENAME ":" FNR ": the first include is base/banned.h"
	}' {} + | grep .
}

# TUESDAY_ROOM_FILE_H, so that no two headers are taken for each other.
with_guards_by_path() {
	! find lib tools -name '*.h' -exec awk '
	/^#ifndef/ && !(FILENAME in seen) {
		seen[FILENAME]
		guard = FILENAME
		sub("^lib/", "", guard)
		gsub(/[^A-Za-z0-9]/, "_", guard)
		if ($2 != "TUESDAY_" toupper(guard))
			print FILENAME ":" FNR ": the guard is TUESDAY_" toupper(guard)
	}' {} + | grep .
}

# It may free a connection that is in use (CVE-2026-74714); our own tests have seen it do so.
# Registers and numbers of system calls are another processor's there.
for_arm64() {
	for source in bpf/*.bpf.c bpf/iter/*.bpf.c; do
		clang -target bpf -D__TARGET_ARCH_arm64 -fsyntax-only -Wall -Wextra -Wno-unused-parameter \
			-Wno-missing-declarations -Werror -I"/usr/include/$(uname -m)-linux-gnu" "$source" || return 1
	done
}

without_tcp_iterator() {
	grep -rqE 'SEC\("iter(\.s)?/' bpf && none grep -rnE 'SEC\("iter(\.s)?/tcp"' bpf
}

# A search or a breakpoint finds one place: no static function has the name of another function. A
# definition begins in column 0, and so does its "{".
# shellcheck disable=SC2016
with_names_of_their_own() {
	! find lib tools \( -name '*.c' -o -name '*.h' \) -print0 | sort -z | xargs -0 awk '
/^[A-Za-z_]/ && !/;$/ {
	head = $0
	gsub(/__attribute__\(\(.*\)\) /, "", head)
	name = ""
	if (match(head, /[A-Za-z_0-9]+ ?\(/)) {
		name = substr(head, RSTART, RLENGTH)
		sub(/ ?\($/, "", name)
		static = head ~ /^static /
		line = FNR
	}
}
/^[{]/ && name != "" {
	if (name in place && (static || was_static[name]))
		printf "%s:%d: %s is in %s too\n", FILENAME, line, name, place[name]
	place[name] = FILENAME
	was_static[name] = static
	name = ""
}' | grep .
}

t "the sources are formatted" make -s format-check
t "cppcheck finds nothing" cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 \
	--enable=warning,portability --suppress=missingIncludeSystem --suppress=unknownMacro \
	--suppress=comparePointers -Ilib -I. lib tools embed
t "shellcheck finds nothing" shellcheck -x .ci/run tests/*.sh tests/*/*.sh tests/*.t tests/*/*.t \
	tests/*/run tests/truth tests/matrix tests/run tests/one tests/replay/judge \
	tests/replay/unpack tests/replay/verdicts
t "the shipped check files have no fault" "$bin/tuesday" lint checks.d/*.ini checks.d/*/*.ini
t "they compare memory with a number that says its unit" with_units
t "every area has one name" with_one_name_an_area
t "every kind of line of the kernel's log is judged by a check" with_log_judged
t "what they print says what it is about" with_words_of_their_own
t "every file says its licence" without_licence
t "every file includes base/banned.h first" with_banned_first
t "guards of headers spell their path" with_guards_by_path
t "no static function has the name of another one" with_names_of_their_own
t "no file holds the marks of a merge" none git grep -nE '^(<<<<<<<|>>>>>>>) '
t "nothing walks the TCP sockets by the kernel's iterator" without_tcp_iterator
t "the tracers compile for arm64 too" for_arm64
echo "1..$n"
