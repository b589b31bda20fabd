#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An ordinary user gives a program and its file the names that a GPU's error, an error of the firmware, an oops and a
# mount of ext4 would make in the kernel's log. Does Tuesday know that it is only a name?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq setpriv unshare dmesg
begin
chmod 711 "$scratch"
mkdir -m 755 "$scratch/at"

nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# counted_so_far: what the kernel's log is taken for by now, of these two checks, in one line.
counted_so_far() {
	examine --no-trace --windows 1 --window 0.1 hardware klog
	ask '[.checks[] | select(.check == "hardware" or .check == "klog") | .metrics[] |
		select(.name | test("^(gpu_error|logged_firmware_error|logged_oops|bug|logged_warning)_count$")) |
		"\(.name) \(.instance) \(.value)"] | sort | join(", ")'
}

# is_said NAME WORDS: the kernel has written the words behind that name.
is_said() {
	dmesg | grep -qF -- "$1[" && dmesg | grep -F -- "$1[" | grep -qF -- "$2"
}

# The machine's own errors, as they were; other tests may have caused some.
before=$(counted_so_far)

# NAME|FILE, split where the kernel puts its own words between them.
while IFS='|' read -r name file; do
	cp "$helpers/misnamed" "$scratch/at/$file"
	nobody "$scratch/at/$file" signal "$name" 2>/dev/null
done <<-'END'
	NVRM: Xid (|): 48, x
	{|}[Hardware Error]: event severity: fatal
	Oops: 1| [#1]
	EXT4-fs (sda1|): mounted filesystem
	BUG: x|x
END
if is_said 'NVRM: Xid (' 'bad frame in '; then
	is "$(counted_so_far)" "$before" "names of programs and files that have crashed are no errors of the machine"
else
	skip "names of programs and files that have crashed are no errors of the machine" \
		"this kernel says nothing of a signal without a frame"
fi

# Where programs that make files in memory have to say that nobody may run them, as in this namespace of processes, the
# kernel calls it an error.
# shellcheck disable=SC2016
unshare -pf --mount-proc bash -c 'echo 2 >/proc/sys/vm/memfd_noexec || exit
	for name in "BUG: y" "BUG: KASAN: y i" "Oops: 2" "NVRM: Xid (y): " "WARNING: CPU: y"; do
		setpriv --reuid=65534 --regid=65534 --clear-groups "$1" memfd "$name"
	done' bash "$scratch/at/): 48, x" 2>/dev/null
if is_said 'NVRM: Xid (y): ' 'memfd_create() requires '; then
	is "$(counted_so_far)" "$before" "a name that the kernel writes as an error is no error of the machine"
else
	skip "a name that the kernel writes as an error is no error of the machine" \
		"this kernel has no vm.memfd_noexec"
fi
plan
