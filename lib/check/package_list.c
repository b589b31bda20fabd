/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the lists of dpkg, apk, rpm and Ruby's gems say of one package? */
#include "base/banned.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "check/package_list.h"
#include "sys/privileged_call.h"
#include "sys/subprocess.h"

#define DPKG "var/lib/dpkg"
#define PART_SIZE 32768 /* more than any paragraph is long */
#define RPM_SECONDS 2
#define NOT_IN_RPM " is not installed"
#define GEM_DIRECTORIES_MAX 64 /* versions of Ruby in one place */

bool package_is_word(const char *text)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("+-.:~_", text[i]))
			return false;
	return i > 0 && i < 128 && *text != '.';
}

void package_versions_add(struct package_versions *versions, const char *version)
{
	size_t i;

	if (!package_is_word(version))
		return;
	for (i = 0; i < versions->n; i++)
		if (!strcmp(versions->list[i], version))
			return;
	versions->more |= versions->n == PACKAGE_VERSIONS_MAX;
	if (!versions->more)
		versions->list[versions->n++] = mem_strdup(version);
}

void package_versions_free(struct package_versions *versions)
{
	while (versions->n)
		free(versions->list[--versions->n]);
}

static bool package_is_there(int root, const char *path)
{
	int fd = privileged_beneath_open(root, path, O_PATH);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A plain file, for reading; of anything else not even the driver is asked. */
static int package_open_list(int root, const char *path)
{
	int seen = privileged_beneath_open(root, path, O_PATH), fd = -ENOENT;
	struct stat st;
	char name[32];

	if (seen < 0)
		return seen;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", seen);
	if (!fstat(seen, &st) && S_ISREG(st.st_mode)) {
		fd = privileged_openat(AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	close(seen);
	return fd;
}

/* The value of a field in a paragraph: what stands behind its name. The caller frees. */
static char *package_field(const char *at, const char *end, const char *name)
{
	size_t len = strlen(name);

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		if ((size_t)(stop - at) > len && !memcmp(at, name, len)) {
			at += len;
			while (at < stop && *at == ' ')
				at++;
			return mem_strndup(at, (size_t)(stop - at));
		}
		at = newline ? newline + 1 : end;
	}
	return NULL;
}

/* A part of a list, which is too long to be kept. */
struct part {
	char text[2 * PART_SIZE];
	size_t len;
	bool last;
};

/* Takes the bytes before from away, and reads on. */
static void package_read_on(struct part *part, int fd, const char *from)
{
	ssize_t n;

	part->len = (size_t)(part->text + part->len - from);
	memmove(part->text, from, part->len);
	n = read(fd, part->text + part->len, sizeof(part->text) - part->len);
	part->len += n > 0 ? (size_t)n : 0;
	part->last = n <= 0;
}

/* A paragraph from its line "KEY NAME" on, or NULL. The caller frees. */
static char *package_paragraph(int fd, const char *key, const char *name)
{
	char *first = mem_printf("\n%s%s\n", key, name), *found = NULL;
	struct part *part = mem_zalloc(sizeof(*part));
	size_t len = strlen(first);

	/* The paragraph that stands first has no newline in front of it. */
	part->text[part->len++] = '\n';
	package_read_on(part, fd, part->text);
	for (;;) {
		const char *end = part->text + part->len;
		const char *at = memmem(part->text, part->len, first, len);
		const char *stop = at ? memmem(at + 1, (size_t)(end - at - 1), "\n\n", 2) : NULL;

		if (at && (stop || part->last || at == part->text)) {
			stop = stop ? stop : end;
			found = mem_strndup(at + 1, (size_t)(stop - at - 1));
			break;
		}
		if (part->last)
			break;
		package_read_on(part, fd, at ? at : part->len > len ? end - len : part->text);
	}
	free(part);
	free(first);
	return found;
}

/* dpkg keeps a list of the files of each package, NAME.list, or NAME:ARCHITECTURE.list for
 * libraries: to look for it costs a thousandth of reading the whole of its status. */
static bool dpkg_has_files(int dpkg, const char *name)
{
	static const char *const suffixes[] = {"", ":amd64", ":arm64", ":i386", ":armhf",
		":ppc64el", ":s390x", ":riscv64", ":mips64el"};
	int info = privileged_beneath_open(dpkg, "info", O_PATH | O_DIRECTORY);
	bool found = false;
	struct stat st;
	size_t i;

	for (i = 0; info >= 0 && i < ARRAY_SIZE(suffixes) && !found; i++) {
		char *file = mem_printf("%s%s.list", name, suffixes[i]);

		found = !privileged_fstatat(info, file, &st, AT_SYMLINK_NOFOLLOW);
		free(file);
	}
	if (info >= 0)
		close(info);
	return found;
}

static void dpkg_take(int dpkg, const char *name, struct package_versions *versions)
{
	char *paragraph, *status = NULL, *version = NULL;
	int fd = package_open_list(dpkg, "status");

	if (fd < 0)
		return;
	paragraph = package_paragraph(fd, "Package: ", name);
	close(fd);
	if (paragraph) {
		const char *end = paragraph + strlen(paragraph);

		status = package_field(paragraph, end, "Status:");
		version = package_field(paragraph, end, "Version:");
	}
	if (status && version && str_ends(status, " installed"))
		package_versions_add(versions, version);
	free(status);
	free(version);
	free(paragraph);
}

static void dpkg_look(int root, const char *name, struct package_versions *versions)
{
	int dpkg = privileged_beneath_open(root, DPKG, O_PATH | O_DIRECTORY);
	struct stat st;

	if (dpkg < 0)
		return;
	versions->listed = !privileged_fstatat(dpkg, "status", &st, AT_SYMLINK_NOFOLLOW) &&
		S_ISREG(st.st_mode);
	if (versions->listed && dpkg_has_files(dpkg, name))
		dpkg_take(dpkg, name, versions);
	close(dpkg);
}

static void apk_look(int root, const char *name, struct package_versions *versions)
{
	int fd = package_open_list(root, "lib/apk/db/installed");
	char *paragraph, *version;

	if (fd < 0)
		fd = package_open_list(root, "usr/lib/apk/db/installed");
	if (fd < 0)
		return;
	versions->listed = true;
	paragraph = package_paragraph(fd, "P:", name);
	close(fd);
	version = paragraph ? package_field(paragraph, paragraph + strlen(paragraph), "V:") : NULL;
	if (version)
		package_versions_add(versions, version);
	free(version);
	free(paragraph);
}

static bool rpm_has_list(int root)
{
	static const char *const lists[] = {"var/lib/rpm/rpmdb.sqlite", "var/lib/rpm/Packages.db",
		"var/lib/rpm/Packages", "usr/lib/sysimage/rpm/rpmdb.sqlite",
		"usr/lib/sysimage/rpm/Packages.db", "usr/share/rpm/rpmdb.sqlite"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		if (package_is_there(root, lists[i]))
			return true;
	return false;
}

void package_list_look(int root, const char *name, struct package_versions *versions)
{
	dpkg_look(root, name, versions);
	if (!versions->listed)
		apk_look(root, name, versions);
	if (!versions->listed && rpm_has_list(root))
		versions->closed = true;
}

/* A directory below root, to be listed, or NULL. */
static DIR *package_open_directory(int root, const char *path)
{
	int fd = privileged_beneath_open(root, path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

/* "puma-7.1.0.gemspec", and not "puma-worker-killer-1.0.gemspec". */
static void gem_take_name(const char *file, const char *name, struct package_versions *versions)
{
	size_t len = strlen(name);
	char *version;

	if (!str_starts(file, name) || file[len] != '-' || !isdigit((unsigned char)file[len + 1]) ||
		!str_ends(file, ".gemspec"))
		return;
	version = mem_strndup(file + len + 1, strlen(file) - len - 1 - strlen(".gemspec"));
	package_versions_add(versions, version);
	free(version);
}

static void gem_look_in(int root, const char *path, const char *name, struct package_versions *out)
{
	char *specifications = mem_printf("%s/specifications", path);
	DIR *dir = package_open_directory(root, specifications);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		gem_take_name(entry->d_name, name, out);
	if (dir)
		closedir(dir);
	free(specifications);
}

void package_list_look_for_gem(int root, const char *name, struct package_versions *versions)
{
	/* Those that end in '/' have a directory for each version of Ruby. */
	static const char *const places[] = {"var/lib/gems/", "usr/local/lib/ruby/gems/",
		"usr/lib/ruby/gems/", "usr/local/bundle", "usr/local/bundle/ruby/",
		"usr/share/gems", "usr/local/share/gems", "usr/share/rubygems-integration/",
		"app/vendor/bundle/ruby/", "rails/vendor/bundle/ruby/",
		"usr/src/app/vendor/bundle/ruby/", "vendor/bundle/ruby/"};
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		bool many = str_ends(places[i], "/");
		DIR *dir = many ? package_open_directory(root, places[i]) : NULL;
		const struct dirent *entry;

		if (!many)
			gem_look_in(root, places[i], name, versions);
		for (n = 0; dir && n < GEM_DIRECTORIES_MAX && (entry = readdir(dir)); n++) {
			char *path = mem_printf("%s%s", places[i], entry->d_name);

			if (*entry->d_name != '.')
				gem_look_in(root, path, name, versions);
			free(path);
		}
		if (dir)
			closedir(dir);
	}
}

bool package_list_take_rpm(const char *text, size_t len, char *version, size_t size)
{
	const char *end = text + len;
	bool found = false;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		if (n && n < size && isdigit((unsigned char)*text)) {
			memcpy(version, text, n);
			version[n] = 0;
			found = package_is_word(version);
		}
		text = newline ? newline + 1 : end;
	}
	return found;
}

void package_list_ask_rpm(const char *name, struct package_versions *versions)
{
	char *words[] = {(char *)"/usr/bin/rpm", (char *)"-q", (char *)"--qf",
		(char *)"%{VERSION}-%{RELEASE}\\n", (char *)"--", (char *)name, NULL};
	struct plugin plugin = {.words = words, .timeout_seconds = RPM_SECONDS};
	struct str text = STR_INIT;
	struct plugin_report report;
	char version[128];

	if (plugin_start(&plugin))
		return;
	plugin_collect(&plugin, NULL, NULL, &text);
	if (!plugin_report_parse(&report, str_text(&text), text.len) &&
		report.end == PLUGIN_EXITED) {
		bool found = !report.status &&
			package_list_take_rpm(
				report.output, report.output_len, version, sizeof(version));

		if (found)
			package_versions_add(versions, version);
		if (found ||
			memmem(report.output, report.output_len, NOT_IN_RPM, strlen(NOT_IN_RPM))) {
			versions->closed = false;
			versions->listed = true;
		}
	}
	str_free(&text);
}
