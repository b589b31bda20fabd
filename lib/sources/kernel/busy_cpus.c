/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <stdio.h>

#include "base/str.h"
#include "sources/common/parse_text.h"
#include "sources/kernel/busy_cpus.h"
#include "sources/kernel/stat.h"

/* A CPU that does less has nothing that its speed would tell. */
#define BUSY_SHARE 0.1

/* CPUs come in the same order each time, but for those that were switched on or off. */
static struct busy_cpu *busy_cpus_find(struct busy_cpus *cpus, const char *name, size_t guess)
{
	struct busy_cpu *cpu;
	size_t i;

	if (guess < cpus->n && !strcmp(cpus->list[guess].name, name))
		return &cpus->list[guess];
	for (i = 0; i < cpus->n; i++)
		if (!strcmp(cpus->list[i].name, name))
			return &cpus->list[i];
	ARRAY_GROW(cpus->list, cpus->n, cpus->room);
	cpu = &cpus->list[cpus->n++];
	memset(cpu, 0, sizeof(*cpu));
	snprintf(cpu->name, sizeof(cpu->name), "%s", name);
	return cpu;
}

static void busy_cpus_note(struct busy_cpu *cpu, double busy, double total)
{
	if (cpu->total > 0 && total > cpu->total)
		cpu->is_busy = busy - cpu->busy > BUSY_SHARE * (total - cpu->total);
	cpu->busy = busy;
	cpu->total = total;
}

int busy_cpus_look(struct capture *fs, struct busy_cpus *cpus)
{
	struct bytes text, line, word;
	double busy, total;
	char name[16];
	size_t i = 0;
	int err = capture_read(fs, "/proc/stat", &text);

	if (err)
		return err;
	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_starts(word, "cpu"))
			break;
		if (text_is(word, "cpu") || !text_copy(word, name, sizeof(name)) ||
			!parse_busy_time(line, &busy, &total))
			continue;
		busy_cpus_note(busy_cpus_find(cpus, name, i++), busy, total);
	}
	return 0;
}

void busy_cpus_free(struct busy_cpus *cpus)
{
	free(cpus->list);
}
