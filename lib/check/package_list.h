/* SPDX-License-Identifier: GPL-2.0-only */
/* Which version of a package is installed below a root directory, as the lists there have it? */
#ifndef TUESDAY_CHECK_PACKAGE_LIST_H
#define TUESDAY_CHECK_PACKAGE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define PACKAGE_VERSIONS_MAX 16

struct package_versions {
	char *list[PACKAGE_VERSIONS_MAX]; /* each once; owned */
	size_t n;
	bool more;   /* than the list has room for */
	bool listed; /* there was a list of packages that could be read */
	bool closed; /* there is one that cannot: rpm's, which nobody was asked for */
};

/* Whether text is of the letters of names and versions of packages and nothing else. */
bool package_is_word(const char *text);

void package_versions_add(struct package_versions *versions, const char *version);
void package_versions_free(struct package_versions *versions);

/*
 * Adds the version that dpkg's list (/var/lib/dpkg), or where there is none apk's (/lib/apk/db),
 * has of an installed package. root is the directory that they lie below, and may be a container's:
 * no symbolic link is followed and nothing but plain files is opened.
 */
void package_list_look(int root, const char *name, struct package_versions *versions);

/* Adds the versions of a Ruby gem that is installed where Debian, Fedora, Alpine and the images of
 * Ruby have them, or in vendor/bundle below root, which may be where a program works: from the
 * names of specifications/NAME-VERSION.gemspec. */
void package_list_look_for_gem(int root, const char *name, struct package_versions *versions);

/*
 * Asks rpm for the version of a package of this very machine, as a child without any right, for two
 * seconds at most: it is only asked where its list is there, and dpkg's and apk's are not.
 */
void package_list_ask_rpm(const char *name, struct package_versions *versions);

/* The version in what `rpm -q --qf '%{VERSION}-%{RELEASE}\n'` says of one package, the last where
 * there are several. Returns false where that is none. */
bool package_list_take_rpm(const char *text, size_t len, char *version, size_t size);

#endif
