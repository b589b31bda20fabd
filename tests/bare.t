#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The one file, copied to a machine on which nothing can be written, with no /tmp, no BTF, no pressure files and no
# BPF: does it judge, and say what it lost?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
	echo "1..0 # SKIP needs root and mount namespaces"
	exit 0
fi
for program in setpriv jq; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The machine: a root with the program, and what the kernel shows; all of it read-only, and some of it gone.
cat >"$work/inside" <<'END'
mount -t tmpfs -o size=64m tmpfs "$1/root" && cd "$1/root" && mkdir proc sys dev empty || exit 99
cp "$2" tuesday && strip tuesday 2>/dev/null
mount --rbind /proc proc && mount --rbind /sys sys && mount --bind /dev dev || exit 99
[ ! -d proc/pressure ] || mount --bind empty proc/pressure || exit 99
[ ! -d sys/kernel/btf ] || mount --bind empty sys/kernel/btf || exit 99
mount -o remount,bind,ro . || exit 99
shift 2
exec chroot . /usr/bin/env "$@" 2>/dev/null
END
mkdir "$work/root"
# shellcheck disable=SC2016
# bare CAPABILITIES ARG...: the program there, without these capabilities.
bare() {
	local without=$1

	shift
	unshare -m --propagation private setpriv --bounding-set "$without" sh -c '
		sh -ec "$(cat "$0")" inside "$@"' "$work/inside.run" "$work" "$BIN/tuesday" "$@"
}
# chroot has no env there: the program itself is called.
sed 's|^exec .*|exec chroot . /tuesday "$@"|' "$work/inside" >"$work/inside.run"
no_bpf=-bpf,-perfmon

bare $no_bpf --version >"$work/version" 2>&1
is "$? $(cut -d ' ' -f 1 "$work/version")" "0 tuesday" "the one file starts"
bare $no_bpf run --quick -o json >"$work/report.json" 2>"$work/errors"
t "it judges, and says so by its exit status" test $? -le 3
is "$(jq -r .schema "$work/report.json")" tuesday/1 "with a report"
t "some parts are cleared all the same" test "$(jq '.exonerated | length' "$work/report.json")" -ge 10
is "$(jq '[.checks[] | select(.verdict == "unknown" and (.reason // "") == "")] | length' "$work/report.json")" 0 \
	"each part that it could not look at has its reason"
bare $no_bpf run --quick >"$work/screen" 2>>"$work/errors"
t "the screen names the parts that were not examined" grep -q 'Not examined: ' <(tr -s '\n ' ' ' <"$work/screen")
bare $no_bpf run cpu --quick --deep -o json >"$work/deep.json" 2>>"$work/errors"
t "what was to be traced says why it was not" grep -qE 'BPF|BTF|CAP_' \
	<(jq -r '.checks[0] | .missing // .reason // empty' "$work/deep.json")
bare $no_bpf run memory --quick -o json >"$work/memory.json" 2>>"$work/errors"
t "what pressure files would have told is said to be gone" grep -q '/proc/pressure' \
	<(jq -r '.. | strings' "$work/memory.json")
bare $no_bpf record /tmp/kept >"$work/kept" 2>&1
t "a recording has nowhere to go, and says so in one line" test "$(wc -l <"$work/kept")" = 1
why <"$work/kept"
plan
