/* SPDX-License-Identifier: GPL-2.0-only */
/* On which CPU is a thread, on which may it be, and in which cgroup, unit or pod? */
#include "base/banned.h"

#include <stdio.h>

#include "base/num.h"
#include "base/str.h"
#include "sources/common/cpu_node.h"
#include "sources/common/parse_text.h"
#include "sources/task/task_group.h"

#define UID_CHARACTERS 36 /* of a pod's UID, with its dashes */
#define CPU_FIELD 36	  /* of /proc/PID/stat, counted from the state, which is 0 */

bool parse_task_cpu(struct bytes stat, double *cpu)
{
	struct bytes before, word;
	int i;

	/* The name in parentheses may have any, and blanks. */
	while (text_until(&stat, ')', &before))
		;
	for (i = 0; i < CPU_FIELD; i++)
		if (!text_word(&stat, &word))
			return false;
	return text_next_number(&stat, cpu) && *cpu >= 0 && *cpu <= UINT16_MAX;
}

/* Whether a list like "cpu,cpuacct" names the controller of CPU time. */
static bool has_cpu_controller(struct bytes list)
{
	struct bytes word;

	while (text_until(&list, ',', &word))
		if (text_is(word, "cpu"))
			return true;
	return text_is(list, "cpu");
}

bool parse_task_cgroup(struct bytes text, struct str *path)
{
	struct bytes line, number, controllers;
	bool found = false;

	while (text_line(&text, &line)) {
		bool of_v2;

		if (!text_until(&line, ':', &number) || !text_until(&line, ':', &controllers) ||
			!line.len || *line.data != '/')
			continue;
		of_v2 = text_is(number, "0") && !controllers.len;
		if (!has_cpu_controller(controllers) && !(of_v2 && !found))
			continue;
		str_clear(path);
		str_addn(path, line.data, line.len);
		found = true;
		if (!of_v2)
			break;
	}
	return found;
}

/* Calls is for each component of a path, the innermost first, and appends the first that it is. */
static bool cgroup_find(const char *path, bool (*is)(const char *name, size_t len), struct str *out)
{
	size_t end = strlen(path);

	while (end) {
		size_t start = end;

		while (start && path[start - 1] != '/')
			start--;
		if (is(path + start, end - start)) {
			str_addn(out, path + start, end - start);
			return true;
		}
		end = start ? start - 1 : 0;
	}
	return false;
}

static bool is_unit(const char *name, size_t len)
{
	static const char *const endings[] = {".service", ".scope", ".slice", ".mount", ".socket"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (len > ending && !memcmp(name + len - ending, endings[i], ending))
			return true;
	}
	return false;
}

/* "pod" and a UID of 36 characters, alone or behind "kubepods-burstable-". */
static bool is_pod(const char *name, size_t len)
{
	const char *pod = name;

	if (len > strlen("kubepods") && !memcmp(name, "kubepods", strlen("kubepods"))) {
		pod = memmem(name, len, "-pod", strlen("-pod"));
		pod = pod ? pod + 1 : name;
	}
	return (size_t)(name + len - pod) >= strlen("pod") + UID_CHARACTERS &&
		!memcmp(pod, "pod", strlen("pod"));
}

bool cgroup_unit(const char *path, struct str *out)
{
	return cgroup_find(path, is_unit, out);
}

bool cgroup_pod(const char *path, struct str *out)
{
	return cgroup_find(path, is_pod, out);
}

static bool task_group_cpu(struct capture *fs, const char *tid, double *cpu)
{
	char *path = mem_printf("/proc/%s/stat", tid);
	struct bytes text;
	bool found = !capture_read_once(fs, path, &text) && parse_task_cpu(text, cpu);

	free(path);
	return found;
}

static bool task_group_cpuset(struct capture *fs, const char *tid, struct str *out)
{
	char *path = mem_printf("/proc/%s/status", tid);
	struct bytes text, line, word = {0};
	bool found = false;

	if (!capture_read_once(fs, path, &text))
		while (!found && text_line(&text, &line))
			found = text_word(&line, &word) && text_is(word, "Cpus_allowed_list:") &&
				text_word(&line, &word);
	if (found)
		str_addn(out, word.data, word.len);
	free(path);
	return found;
}

static bool task_group_cgroup(struct capture *fs, const char *tid, struct str *out)
{
	char *path = mem_printf("/proc/%s/cgroup", tid);
	struct bytes text;
	bool found = !capture_read_once(fs, path, &text) && parse_task_cgroup(text, out);

	free(path);
	return found;
}

/* A group that the path of the cgroup tells. */
static bool task_group_within(struct capture *fs, const char *tid,
	bool (*tell)(const char *path, struct str *out), struct str *out)
{
	struct str path = STR_INIT;
	bool found = task_group_cgroup(fs, tid, &path) && tell(str_text(&path), out);

	str_free(&path);
	return found;
}

bool task_group_of(
	struct capture *fs, void *state, const char *instance, const char *kind, struct str *out)
{
	size_t len = strcspn(instance, "@");
	char tid[16];
	double cpu;

	(void)state;
	if (!instance[len] || len >= sizeof(tid))
		return false;
	snprintf(tid, sizeof(tid), "%.*s", (int)len, instance);
	if (!strcmp(kind, "cpuset"))
		return task_group_cpuset(fs, tid, out);
	if (!strcmp(kind, "cgroup"))
		return task_group_cgroup(fs, tid, out);
	if (!strcmp(kind, "unit"))
		return task_group_within(fs, tid, cgroup_unit, out);
	if (!strcmp(kind, "pod"))
		return task_group_within(fs, tid, cgroup_pod, out);
	if (!task_group_cpu(fs, tid, &cpu))
		return false;
	if (!strcmp(kind, "node"))
		return cpu_node_name(fs, (uint64_t)cpu, out);
	str_addf(out, "cpu%.0f", cpu);
	return true;
}
