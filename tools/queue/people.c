/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "bpf/probe/queue.h"
#include "queue/matrix.h"
#include "sys/cgroup_id.h"
#include "sys/privileged_call.h"
#include "tools/queue/people.h"

#define TEXT_BYTES 16384
#define CGROUP_BYTES 4096
#define FIELD_NICE 19
#define FIELD_POLICY 41
#define FIELD_FLAGS 9
#define PF_KTHREAD 0x00200000

/* A file below /proc, terminated. Returns its length, or -1. */
static ssize_t people_read(const char *path, char *text, size_t size)
{
	int fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : privileged_pread(fd, text, size - 1, 0);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = 0;
	return got;
}

static ssize_t people_file(uint32_t pid, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return people_read(path, text, size);
}

bool people_lives(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return !access(path, F_OK);
}

/* A field of /proc/PID/stat behind the name, which may have anything in it; the state is 3. */
static long people_stat_field(const char *stat, int wanted)
{
	const char *at = strrchr(stat, ')');
	int field = 2;

	while (at && field < wanted) {
		at = strchr(at + 1, ' ');
		field++;
	}
	return at ? strtol(at, NULL, 10) : 0;
}

/* The owner of /proc/PID is not it where a process hides, so its status is read. */
static uint32_t people_uid(const char *status)
{
	const char *line = strstr(status, "\nUid:");

	return line ? (uint32_t)strtoul(line + 5, NULL, 10) : 0;
}

/* Of one that lives. Its name is cut off behind by a line's end. */
static bool people_ask(uint32_t pid, struct party_member *is, char *name, char *cgroups)
{
	char text[TEXT_BYTES];

	if (people_file(pid, "comm", name, MATRIX_NAME) <= 0 ||
		people_file(pid, "stat", text, sizeof(text)) <= 0)
		return false;
	if (strrchr(name, '\n'))
		*strrchr(name, '\n') = 0;
	*is = (struct party_member){.pid = pid, .name = name, .cgroups = cgroups};
	is->nice = (int)people_stat_field(text, FIELD_NICE);
	is->policy = (unsigned int)people_stat_field(text, FIELD_POLICY);
	is->is_kernel = people_stat_field(text, FIELD_FLAGS) & PF_KTHREAD;
	if (people_file(pid, "status", text, sizeof(text)) > 0)
		is->uid = people_uid(text);
	people_file(pid, "cgroup", cgroups, CGROUP_BYTES);
	return true;
}

void people_know(struct matrix *matrix, uint32_t pid, const struct queue_person *noted,
	struct cgroup_names *groups)
{
	char name[MATRIX_NAME], cgroups[CGROUP_BYTES] = "", path[CGROUP_BYTES - 8];
	struct party_member is;
	size_t at = matrix_person(matrix, pid);

	if (!people_ask(pid, &is, name, cgroups)) {
		if (!noted)
			return;
		snprintf(name, sizeof(name), "%.*s", QUEUE_COMM, noted->comm);
		is = (struct party_member){.pid = pid,
			.name = name,
			.cgroups = cgroups,
			.uid = noted->uid,
			.nice = noted->nice,
			.policy = noted->policy,
			.is_kernel = noted->is_kernel};
		if (groups && noted->cgroup) {
			cgroup_name(groups, noted->cgroup, path, sizeof(path));
			snprintf(cgroups, sizeof(cgroups), "0::%s\n", path);
		}
	}
	matrix_name(matrix, at, &is);
}

/* The second number of a line of schedstat. */
static bool people_schedstat(const char *text, uint64_t *delay)
{
	const char *end = text + strlen(text);
	uint64_t run;

	return !num_next(&text, end, &run) && !num_next(&text, end, delay);
}

/* The sum of the fields run_delay of all lines "cpuN", the eighth number of each. */
static bool people_all_delays(uint64_t *ns)
{
	FILE *file = fopen("/proc/schedstat", "re");
	char line[1024];
	uint64_t value;
	bool any = false;

	*ns = 0;
	while (file && fgets(line, sizeof(line), file)) {
		const char *at = line + strcspn(line, " "), *end = line + strlen(line);
		int i = 0;

		if (!str_starts(line, "cpu"))
			continue;
		while (i < 8 && !num_next(&at, end, &value))
			i++;
		if (i == 8) {
			*ns += value;
			any = true;
		}
	}
	if (file)
		fclose(file);
	return any;
}

/* Calls found for the thread of each process of the party. */
static void people_threads(struct people_delays *delays, uint32_t pid,
	void (*found)(struct people_delays *delays, uint32_t tid, uint64_t ns))
{
	char path[64], text[256];
	const struct dirent *entry;
	uint64_t ns;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", pid, tid);
		if (tid && people_read(path, text, sizeof(text)) > 0 &&
			people_schedstat(text, &ns)) {
			delays->known = true;
			found(delays, tid, ns);
		}
	}
	if (dir)
		closedir(dir);
}

static void people_of_party(struct people_delays *delays, const struct party *party,
	void (*found)(struct people_delays *delays, uint32_t tid, uint64_t ns))
{
	char name[MATRIX_NAME], cgroups[CGROUP_BYTES];
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	struct party_member is;

	delays->processes = 0;
	while (dir && (entry = readdir(dir))) {
		const uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (!isdigit((unsigned char)*entry->d_name) ||
			!people_ask(pid, &is, name, cgroups) || !party_has(party, &is))
			continue;
		delays->processes++;
		people_threads(delays, pid, found);
	}
	if (dir)
		closedir(dir);
}

bool people_has(const struct party *party)
{
	char name[MATRIX_NAME], cgroups[CGROUP_BYTES];
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	struct party_member is;
	bool has = false;

	while (dir && !has && (entry = readdir(dir)))
		has = isdigit((unsigned char)*entry->d_name) &&
			people_ask(
				(uint32_t)strtoul(entry->d_name, NULL, 10), &is, name, cgroups) &&
			party_has(party, &is);
	if (dir)
		closedir(dir);
	return has;
}

static void people_before(struct people_delays *delays, uint32_t tid, uint64_t ns)
{
	number_map_add(&delays->before, tid, ns);
}

static void people_after(struct people_delays *delays, uint32_t tid, uint64_t ns)
{
	size_t before = 0;

	number_map_get(&delays->before, tid, &before);
	if (ns >= before)
		delays->ns += ns - before;
}

void people_delays_begin(struct people_delays *delays, const struct party *party)
{
	if (party)
		people_of_party(delays, party, people_before);
	else
		delays->known = people_all_delays(&delays->ns);
}

void people_delays_end(struct people_delays *delays, const struct party *party)
{
	uint64_t now;

	if (party)
		people_of_party(delays, party, people_after);
	else if (people_all_delays(&now))
		delays->ns = now - delays->ns;
	else
		delays->known = false;
}

void people_delays_free(struct people_delays *delays)
{
	number_map_free(&delays->before);
}
