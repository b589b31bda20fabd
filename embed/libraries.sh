#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Which libraries are linked into a program, and in which version? libraries.sh CC -lNAME... prints a
# line for each: its name, its version, and the package that it is from, as the system's packages say;
# else as pkg-config does, with "-" for the package; "unknown" where nobody says.
cc=$1
shift

of_dpkg() {
	package=$(dpkg -S "$1" 2>/dev/null | sed -n '1s/: .*//p')
	[ "$package" ] && version=$(dpkg-query -W -f '${Version}' "$package" 2>/dev/null) && [ "$version" ]
}

of_rpm() {
	package=$(rpm -qf --qf '%{NAME}\n' "$1" 2>/dev/null | head -n 1)
	version=$(rpm -qf --qf '%{VERSION}-%{RELEASE}\n' "$1" 2>/dev/null | head -n 1)
	case $package in *' '* | '') false ;; esac
}

of_pkg_config() {
	package=-
	version=$(pkg-config --modversion "$1" 2>/dev/null || pkg-config --modversion "${1#lib}" 2>/dev/null)
	[ "$version" ]
}

for library; do
	name=lib${library#-l}
	file=$($cc -print-file-name="$name.a")
	[ -e "$file" ] || file=$($cc -print-file-name="$name.so")
	file=$(realpath "$file" 2>/dev/null)
	if ! of_dpkg "$file" && ! of_dpkg "${file#/usr}" && ! of_rpm "$file" && ! of_pkg_config "$name"; then
		package=-
		version=unknown
	fi
	echo "$name $version ${package%%:*}"
done
