#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Can somebody add what they learned last week without knowing the house? A source with one number, a
# check that asks for it and its test are three new files, and no old one is touched: they are built,
# embedded, listed, linked, judged and tested because they are there.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
for program in make gcc git; do
	command -v "$program" >/dev/null || {
		echo "1..0 # SKIP needs the program $program"
		exit 0
	}
done
work=$(mktemp -d /var/tmp/tuesday-stranger.XXXXXX)
trap 'rm -rf "$work"' EXIT
copy=$work/copy

# The checkout as it is, with what was built of it, so that only what is new is compiled.
cd "$root" || exit 1
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
	[ ! -e "$file" ] || printf '%s\0' "$file"
done | xargs -0 cp -a --parents -t "$copy"
cp -a "$BIN" "$copy/bin"
mkdir "$copy/build"
find "$BUILD" -mindepth 1 -maxdepth 1 ! -name asan ! -name fuzz ! -name unit ! -name faults \
	-exec cp -a -t "$copy/build" {} +
cd "$copy" || exit 1
git init -q . && git add -A && git -c user.name=stranger -c user.email=stranger@localhost commit -qm here

cat >lib/sources/kernel/filelocks.c <<'END'
/* SPDX-License-Identifier: GPL-2.0-only */
/* How many processes wait for a file lock? "1: -> POSIX  ADVISORY  WRITE 4775 fe:00:33 0 EOF" */
#include "base/banned.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"

static void filelocks_parse(struct bytes text, struct sink *sink)
{
	struct bytes line, number, mark;
	double waiting = 0;

	while (text_line(&text, &line))
		if (text_word(&line, &number) && text_word(&line, &mark) && text_is(mark, "->"))
			waiting++;
	sink_put(sink, "", "waiting_count", waiting);
}

static int filelocks_read(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/locks", filelocks_parse, sink);
}

SOURCE(filelocks) = {
	.name = "filelocks",
	.what = "/proc/locks: file locks, and who waits for them",
	.read = filelocks_read,
};
END
cat >checks.d/filelock.ini <<'END'
; SPDX-License-Identifier: GPL-2.0-only
[check]
question = Do programs wait for file locks?
area     = kernel
next     = cat /proc/locks

[metric waiting_count]
value    = filelocks:waiting_count
class    = harm
maybe    = > 0
say      = {value} process(es) (waits|wait) for a file lock
why      = Whoever waits in flock() or fcntl() does nothing else, for as long as the holder likes.
source   = proc(5), /proc/locks
however  = Waiting can be all that a program is meant to do.
seen     = live
END
cat >tests/filelock.t <<'END'
#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a process that waits for a file lock seen, and one that holds one not?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/proc"
echo '1: POSIX  ADVISORY  WRITE 4775 fe:00:33 0 EOF' >"$work/proc/locks"
"$BIN/filelockhealth" --root "$work" --quick -o line >"$work/out"
is "$?" 0 "a lock that nobody waits for is good"
echo '1: -> POSIX  ADVISORY  WRITE 4776 fe:00:33 0 EOF' >>"$work/proc/locks"
"$BIN/filelockhealth" --root "$work" --quick -o line >"$work/out"
is "$?" 1 "a process that waits for one is maybe"
plan
END
chmod +x tests/filelock.t

is "$(git status --porcelain --untracked-files=all | sort)" "?? checks.d/filelock.ini
?? lib/sources/kernel/filelocks.c
?? tests/filelock.t" "three new files, and no old one is touched"
unset BIN BUILD MAKEFLAGS MAKELEVEL
if make -j2 programs VERSION="$(cat build/version)" >"$work/make.out" 2>&1; then
	pass "they are built"
else
	fail "they are built"
	grep -v '^gcc\|^cc' "$work/make.out" | tail -n 20 | cut -c1-200 | why
fi
is "$(grep -cE ' -c -o build/(lib|tools|bpf)/' "$work/make.out")" 1 "and nothing else is compiled again"
works "the check file has no fault" bin/tuesday lint checks.d/filelock.ini
works "the source is listed" eval "bin/tuesday sources | grep -q filelocks"
works "the check is listed" eval "bin/tuesday list | grep -q '^filelock '"
is "$(bin/filelockhealth --help | sed -n 2p)" "Do programs wait for file locks?" "the tool is there"
works "its test passes" tests/filelock.t
works "the rooms are as they should be" tests/rooms.t
plan
