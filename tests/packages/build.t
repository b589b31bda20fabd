#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the packages build from the tarball, are they as the distributions want them, and does what they install run?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
tarball=$(find "$BUILD" -maxdepth 1 -name 'tuesday-*.tar.gz' | head -n 1)
if [ ! -s "$tarball" ]; then
	echo "1..0 # SKIP no tarball: make check-packages makes it"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-packages.XXXXXX)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8
tree=$(basename "$tarball" .tar.gz)
version=${tree#tuesday-}
tar -xzf "$tarball" -C "$work"
is "$(cat "$work/$tree/VERSION")" "$version" "the tarball has its version"

# A version that dpkg and rpm sort: of what no tag names, 0 and the commit.
case $version in
[0-9]*.*) sorted=${version//-/+} ;;
0-*) sorted=0+git.${version#0-g} sorted=${sorted//-/.} ;;
*) sorted=0+${version//-/.} ;;
esac
if command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null; then
	cp -a "$work/$tree/dist/debian" "$work/$tree/debian"
	printf 'tuesday (%s) unstable; urgency=medium\n\n  * Of the tarball: CHANGELOG.md has what is new.\n\n -- Tuesday developers <tuesday@packages.invalid>  %s\n' \
		"$sorted" "$(date -R -r "$tarball")" >"$work/$tree/debian/changelog"
	(cd "$work/$tree" && dpkg-buildpackage -us -uc -d >"$work/deb.log" 2>&1)
	is "$?" 0 "the Debian package builds, source and binary"
	[ -s "$(find "$work" -maxdepth 1 -name '*.deb' | head -n 1)" ] || tail -n 5 "$work/deb.log" | cut -c1-300 | why
	if command -v lintian >/dev/null; then
		lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs,no-nmu-in-changelog,source-nmu-has-incorrect-version-number \
			"$work"/*.changes >"$work/lintian" 2>&1
		is "$(grep -cE '^[EW]:' "$work/lintian")" 0 "lintian has nothing against it"
		grep -E '^[EW]:' "$work/lintian" | head -n 20 | why
	else
		skip "lintian has nothing against it" "needs the program lintian"
	fi
	# What autopkgtest runs on a machine with the package, here below a root of its own.
	mkdir "$work/root"
	dpkg-deb -x "$work"/tuesday_*.deb "$work/root"
	is "$("$work/root/usr/bin/tuesday" --version)" "tuesday $version" "what is installed has the version of the tarball"
	works "its manual is there" [ -s "$work/root/usr/share/man/man1/tuesday.1.gz" ]
	is "$(find "$work/root/usr/bin" -xtype l | wc -l)" 0 "its links lead somewhere"
	works "its own test is a script" sh -n dist/debian/tests/smoke
	if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
		# shellcheck disable=SC2016
		unshare -m --propagation private sh -c 'mount -t overlay overlay -o "lowerdir=$1/usr:/usr" /usr && exec "$2"' sh \
			"$work/root" "$PWD/dist/debian/tests/smoke" >"$work/smoke" 2>&1
		is "$? $(tail -n 1 "$work/smoke")" "0 well" "and passes where the package is installed"
		tail -n 3 "$work/smoke" | why
	fi
else
	skip "the Debian package builds" "needs dpkg-dev and debhelper: make package-deps"
fi
if command -v rpmbuild >/dev/null; then
	mkdir -p "$work/rpm/SOURCES"
	mv "$work/$tree" "$work/tuesday-$sorted"
	rm -rf "$work/tuesday-$sorted"/{debian,build,bin}
	tar -czf "$work/rpm/SOURCES/tuesday-$sorted.tar.gz" -C "$work" "tuesday-$sorted"
	rpmbuild --quiet --nodeps -D "_topdir $work/rpm" -D "tuesday_version $sorted" -D "_docdir /usr/share/doc" \
		-bb dist/rpm/tuesday.spec >"$work/rpm.log" 2>&1
	is "$?" 0 "the RPM builds"
	[ -n "$(find "$work/rpm/RPMS" -name '*.rpm' 2>/dev/null)" ] || tail -n 5 "$work/rpm.log" | cut -c1-300 | why
	is "$(find "$work/rpm/RPMS" -name '*.rpm' -exec rpm -qpl {} + 2>/dev/null | grep -cE '^/usr/bin/(tuesday|cpuhealth|keepalivediagnose)$')" 3 \
		"with the program, a check and a tool"
else
	skip "the RPM builds" "needs the program rpmbuild: make package-deps"
fi
if command -v podman >/dev/null; then
	skip "the container image builds" "it would download an image of Debian"
else
	skip "the container image builds" "needs the program podman"
fi
# What the image is: a root with the one file.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir "$work/image"
	cp "$BIN/tuesday" "$work/image/tuesday"
	is "$(chroot "$work/image" /tuesday --version | cut -d ' ' -f 1)" tuesday "a root with nothing but the program runs it"
fi
plan
