#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the play for Ansible install the program, its timer and the main file, once, and remove them again?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C.UTF-8

if ! command -v ansible-playbook >/dev/null; then
	echo "1..0 # SKIP ansible-core is not installed"
	exit 0
fi
export ANSIBLE_HOME=$work/ansible ANSIBLE_LOCAL_TEMP=$work/ansible/tmp ANSIBLE_REMOTE_TEMP=$work/ansible/there
export ANSIBLE_NOCOLOR=1 ANSIBLE_STDOUT_CALLBACK=default
printf '[gaps]\nexpected_unknown = fs\n' >main.ini
play() {
	call timeout 120 ansible-playbook -i localhost, -c local "$root/dist/ansible/install.yml" \
		-e ansible_python_interpreter=/usr/bin/python3 -e "tuesday=$BIN/tuesday" -e tuesday_enable=false \
		-e tuesday_become=false -e "tuesday_bin_dir=$work/to/bin" -e "tuesday_unit_dir=$work/to/units" \
		-e "tuesday_etc_dir=$work/to/etc" "$@"
}
play -e "tuesday_ini=$work/main.ini"
t "the play installs" [ "$status" = 0 ]
is "$(find to -name 'tuesday*' -type f | wc -l)" 4 "the program, the units and the main file"
play -e "tuesday_ini=$work/main.ini"
t "a second time nothing is changed" grep -Eq 'changed=0 .*failed=0' out
play -e tuesday_remove=true
is "$status $(find to/bin to/units -type f | wc -l)" "0 0" "and it removes what it brought"
plan
