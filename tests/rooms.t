#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does everything know only what is below it, and is every public name declared where one looks for it?
# lib/rooms has the rooms of lib/, the lowest first. The folders of tools/ are rooms too, above all of
# them, with tools/NAME.c, tools/NAMEdiagnose.c and tools/NAMEhealth.c.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

# told SENTENCE TEXT: passes where there is nothing to tell.
told() {
	if [ -z "$2" ]; then
		pass "$1"
	else
		fail "$1"
		head -n 60 <<<"$2" | why
	fi
}

# What all the awk programs here share: rank[], room_of() and may_use().
# shellcheck disable=SC2016
rooms='
FILENAME == "lib/rooms" {
	if (NF && $1 !~ /^#/)
		rank[$1] = ++ranks
	next
}
function room_of(path) {
	sub("^lib/", "", path)
	if (path ~ "^tools/[^/]*$")
		sub("(diagnose|health)?\\.c$", "/", path)
	sub("/[^/]*$", "", path)
	return path
}
# A room that lib/rooms does not have is above those that it has.
function height(room) {
	return room in rank ? rank[room] : ranks + 1
}
function may_use(room, other) {
	if (height(other) > height(room))
		return 0
	return room == other || other == "sources/common" ||
		room !~ "^sources/" || other !~ "^sources/"
}
'

# Lines FILE:LINE: WHAT, for every include that goes the wrong way.
# shellcheck disable=SC2016
wrong_includes() {
	find lib tools embed bpf tests bench -name '*.[ch]' -print0 -o -path 'lib/*/*' -type f -print0 |
		sort -z | xargs -0 awk "$rooms"'
function complain(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what
}
FNR == 1 {
	room = room_of(FILENAME)
	in_lib = FILENAME ~ "^lib/"
	if (in_lib && !(room in rank))
		complain("is in no room of lib/rooms")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	other = room_of(part[2])
	if (part[2] !~ "/" && FILENAME ~ "^(lib|tools)/")
		complain(part[2] " has no room before it")
	else if (part[2] ~ "/internal\\.h$" && other != room)
		complain(part[2] " is internal to its room")
	else if (in_lib && part[2] ~ "^tools/")
		complain("lib/ does not know tools/")
	else if (in_lib && other in rank && !may_use(room, other))
		complain(room " must not know " other)
}
' lib/rooms
}

# Lines "OBJECT: NAME TYPE …", of all public names that the objects of lib/ and tools/ have or want.
# Objects whose sources are gone are none.
names() {
	local object objects=()

	while IFS= read -r object; do
		[ ! -e "$BUILD/$object" ] || objects+=("$object")
	done < <(find lib tools -name '*.c' | sed 's/c$/o/' | sort)
	[ "${#objects[@]}" = 0 ] || (cd "$BUILD" && nm -A -g -P "${objects[@]}")
}

# From names: "WHO NAME OWNER" a line, for every object that wants a name of another one. What two
# programs have of the same name is that of the nearest folder.
# shellcheck disable=SC2016
uses() {
	awk '
function folder(path) {
	sub("/[^/]*$", "", path)
	return path
}
{
	sub(":$", "", $1)
	sub("\\.o$", "", $1)
}
$3 == "U" || $3 == "w" { wants[++n] = $1 " " $2; next }
{ owners[$2] = owners[$2] " " $1 }
END {
	for (i = 1; i <= n; i++) {
		split(wants[i], want, " ")
		count = split(owners[want[2]], list, " ")
		for (k = 1; k <= count; k++)
			if (count == 1 || folder(list[k]) == folder(want[1]))
				print want[1], want[2], list[k]
	}
}'
}

# From uses: every circle of objects, with the names that tie it. By Tarjan: an object that reaches
# an earlier one, which has not got its circle yet, is in the circle of that one.
# shellcheck disable=SC2016
circles() {
	awk '
{
	edges[$1] = edges[$1] " " $3
	names[$1, $3] = names[$1, $3] " " $2
}
function visit(object,    list, n, i, other) {
	low[object] = number[object] = ++numbers
	stack[++depth] = object
	waiting[object] = 1
	n = split(edges[object], list, " ")
	for (i = 1; i <= n; i++) {
		other = list[i]
		if (!(other in number))
			visit(other)
		if (waiting[other] && low[other] < low[object])
			low[object] = low[other]
	}
	if (low[object] == number[object])
		leave(object)
}
function leave(object,    members, n, i, k) {
	do {
		members[++n] = stack[depth]
		waiting[stack[depth--]] = 0
	} while (members[n] != object)
	if (n == 1)
		return
	print "a circle of " n " objects:"
	for (i = 1; i <= n; i++)
		for (k = 1; k <= n; k++)
			if ((members[i], members[k]) in names)
				print "  " members[i] " wants of " members[k] ":" \
					names[members[i], members[k]]
}
END {
	for (object in edges)
		if (!(object in number))
			visit(object)
}'
}

# From uses: every object that wants a name of an object that it must not know.
# shellcheck disable=SC2016
wrong_uses() {
	awk "$rooms"'
$1 ~ "^lib/" && !may_use(room_of($1), room_of($3)) { print $1 " wants " $2 " of " $3 }
' lib/rooms -
}

# From names: every public name that the header of its file does not declare, nor the internal.h of
# its room. A file directly in tools/ is a program or a command, and has no public name but what the
# entry point or a link asks for.
# shellcheck disable=SC2016
undeclared() {
	find lib tools -name '*.h' -print0 | xargs -0 awk '
FNR == 1 { comment = 0 }
{
	line = $0
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
	if (comment && !sub(/^.*\*\//, "", line))
		next
	comment = sub(/\/\*.*$/, "", line)
	while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		if (line ~ /^ *[(;[]/)
			print FILENAME, word
	}
}' | awk '
NR == FNR { declared[$1, $2] = 1; next }
$3 !~ /^[TDBRVWGSC]$/ || $2 == "main" { next }
{
	file = $1
	sub("\\.o:$", "", file)
	room = file
	sub("/[^/]*$", "", room)
}
room == "tools" { next }
!((file ".h", $2) in declared) && !((room "/internal.h", $2) in declared) {
	print file ".c: " $2 " is not declared in " file ".h"
}' - "$1"
}

told "a file includes files of its own room and of rooms below it, and no other's internal.h" \
	"$(wrong_includes)"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
names >"$scratch/names"
uses <"$scratch/names" >"$scratch/uses"
if [ -s "$scratch/uses" ]; then
	told "an object wants names of its own room and of rooms below it" \
		"$(wrong_uses <"$scratch/uses")"
	told "no objects want names of each other in a circle" "$(circles <"$scratch/uses")"
	told "a public name is declared in the header of its own file, or in its room's internal.h" \
		"$(undeclared "$scratch/names")"
else
	skip "the names that objects want go down only" "nothing is built"
fi
plan
