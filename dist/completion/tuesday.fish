# SPDX-License-Identifier: GPL-2.0-only
# Completion of tuesday for fish. What there is to complete, the program says itself: --help and list.
function __tuesday_commands
	command tuesday --help 2>/dev/null | string replace -rf '^  ([a-z]+) [^a-z]*(.*)' '$1\t$2'
end
function __tuesday_checks
	command tuesday list 2>/dev/null | string replace -rf '^(\S+)\s+\S+\s+(.*)' '$1\t$2'
end
function __tuesday_options
	set -l words (commandline -opc)
	command tuesday $words[2] --help 2>/dev/null | string replace -rf '^ *(?:-[a-z], )?(--[a-z-]+=?)\S*\s+(.*)' '$1\t$2'
end
complete -c tuesday -n 'test (count (commandline -opc)) -eq 1' -a '(__tuesday_commands)'
complete -c tuesday -a '(__tuesday_checks)'
complete -c tuesday -n 'string match -q -- "-*" (commandline -ct)' -a '(__tuesday_options)'
