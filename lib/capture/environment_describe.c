/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of machine is looked at: its name, its kernel, its CPUs, its pages? */
#include "base/banned.h"

#include <elf.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/environment.h"
#include "capture/environment_describe.h"
#include "capture/recording.h"

#define PAGE_BYTES_MIN 1024
#define PAGE_BYTES_MAX (1 << 24)

/* The first line of a file as a value of the environment. */
static void environment_take_line(struct capture *fs, const char *key, const char *path)
{
	struct bytes text;
	char *line;

	if (capture_read_once(fs, path, &text) || !text.len)
		return;
	line = mem_strndup(text.data, strcspn(text.data, "\n"));
	if (*line)
		capture_set_environment(fs, key, line);
	free(line);
}

static void environment_take_number(struct capture *fs, const char *key, uint64_t number)
{
	char *text = mem_printf("%llu", (unsigned long long)number);

	capture_set_environment(fs, key, text);
	free(text);
}

uint64_t stat_text_cpus(const char *text)
{
	uint64_t n = 0;

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		n += !strncmp(text, "cpu", 3) && text[3] >= '0' && text[3] <= '9';
	}
	return n;
}

static uint64_t tree_cpus(struct capture *fs)
{
	struct bytes text;
	uint64_t n = 0;

	if (!capture_read_once(fs, "/sys/devices/system/cpu/online", &text) &&
		cpulist_count(text.data, text.len, &n))
		return n;
	return capture_read_once(fs, "/proc/stat", &text) ? 0 : stat_text_cpus(text.data);
}

/* Whether a number can be the size of a page. */
static bool is_page_size(uint64_t bytes)
{
	return bytes >= PAGE_BYTES_MIN && bytes <= PAGE_BYTES_MAX && !(bytes & (bytes - 1));
}

uint64_t auxv_page_bytes(const char *data, size_t len)
{
	Elf64_auxv_t entry;

	for (; len >= sizeof(entry); data += sizeof(entry), len -= sizeof(entry)) {
		memcpy(&entry, data, sizeof(entry));
		if (entry.a_type == AT_PAGESZ)
			return is_page_size(entry.a_un.a_val) ? entry.a_un.a_val : 0;
	}
	return 0;
}

uint64_t smaps_page_bytes(const char *text)
{
	static const char word[] = "KernelPageSize:";
	const char *at = strstr(text, word), *end = at ? at + strcspn(at, "\n") : NULL;
	uint64_t kib = 0;

	if (!at)
		return 0;
	at += strlen(word);
	if (num_next(&at, end, &kib) || kib > PAGE_BYTES_MAX / 1024 || strncmp(at, " kB\n", 4) != 0)
		return 0;
	return is_page_size(kib * 1024) ? kib * 1024 : 0;
}

/* Any process says it. A procfs that is mounted elsewhere has a "self" only for who is in it. */
static uint64_t tree_page_bytes(struct capture *fs)
{
	static const char *const processes[] = {"self", "1"};
	uint64_t page_bytes = 0;
	struct bytes text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(processes) && !page_bytes; i++) {
		char *auxv = mem_printf("/proc/%s/auxv", processes[i]);
		char *smaps = mem_printf("/proc/%s/smaps", processes[i]);

		if (!capture_read_once(fs, auxv, &text))
			page_bytes = auxv_page_bytes(text.data, text.len);
		if (!page_bytes && !capture_read_once(fs, smaps, &text))
			page_bytes = smaps_page_bytes(text.data);
		free(auxv);
		free(smaps);
	}
	return page_bytes;
}

/* By what the files say themselves: of a tree that was copied from elsewhere our own CPUs, pages
 * and release say nothing. */
static void environment_read_tree(struct capture *fs)
{
	/* What is read here is kept as the environment, which a filter knows how to redact. */
	bool paused = capture_pause_recording(fs, true);
	uint64_t cpus = tree_cpus(fs), page_bytes = tree_page_bytes(fs);

	environment_take_line(fs, "host", "/proc/sys/kernel/hostname");
	environment_take_line(fs, "kernel", "/proc/sys/kernel/osrelease");
	if (cpus)
		environment_take_number(fs, "cpus", cpus);
	if (page_bytes)
		environment_take_number(fs, "page_bytes", page_bytes);
	else
		capture_set_environment(fs, "page_bytes", "unknown");
	capture_pause_recording(fs, paused);
}

/* Of the kernel that we run on. */
static void environment_ask_kernel(struct capture *fs)
{
	struct utsname name;

	uname(&name);
	capture_set_environment(fs, "host", name.nodename);
	capture_set_environment(fs, "kernel", name.release);
	environment_take_number(fs, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	environment_take_number(fs, "page_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
}

void environment_describe(struct capture *fs, time_t now)
{
	if (capture_is_replay(fs))
		return;
	environment_take_number(fs, "time", (uint64_t)now);
	if (capture_is_live(fs))
		environment_ask_kernel(fs);
	else
		environment_read_tree(fs);
}
