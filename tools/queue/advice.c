/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/str.h"
#include "base/terminal.h"
#include "base/wrap.h"
#include "tools/queue/advice.h"
#include "queue/matrix.h"
#include "tools/queue/words.h"

#define COLUMNS 100

/* The numbers of the kernel's policies; what they mean for who stands behind. */
enum { ADVICE_FIFO = 1, ADVICE_RR = 2, ADVICE_DEADLINE = 6 };

static void advice_wrap(struct str *out, const char *text)
{
	const unsigned int wide = terminal_columns();

	str_add(out, "What to do: ");
	wrap_text(out, wide && wide < COLUMNS ? wide : COLUMNS, 12, 12, text);
}

static bool advice_is_real_time(const struct matrix_person *person)
{
	return person->is.policy == ADVICE_FIFO || person->is.policy == ADVICE_RR ||
		person->is.policy == ADVICE_DEADLINE;
}

static void advice_process(struct str *text, const struct matrix_group *group)
{
	struct str name = STR_INIT;

	queue_words_group(&name, group, 40);
	if (group->first->is.is_kernel) {
		str_addf(text,
			"%s is a thread of the kernel: what makes it work is to be found with "
			"'tuesday irq' and 'tuesday workqueue'.",
			str_text(&name));
	} else if (advice_is_real_time(group->first)) {
		str_addf(text,
			"%s runs with real-time policy %s: as long as it can run, nothing without "
			"gets its CPU. Keep it to CPUs of its own (taskset, cpuset), or take the "
			"policy away: chrt -o -p 0 %" PRIu32 ".",
			str_text(&name), party_policy(group->first->is.policy),
			group->first->is.pid);
	} else {
		str_addf(text,
			"give who waits and %s CPUs of their own (cpuset, taskset), or %s less of "
			"the same ones: renice -n 10 -p %" PRIu32
			" takes effect at once; for a unit systemctl set-property UNIT "
			"CPUWeight=20.",
			str_text(&name), group->processes > 1 ? "these" : "it",
			group->first->is.pid);
	}
	str_free(&name);
}

static const struct matrix_sum *advice_about(const struct matrix_table *table)
{
	size_t i;

	for (i = 0; i < table->n_sums; i++)
		if (table->groups[table->sums[i].ahead].is_b)
			return &table->sums[i];
	return table->sums;
}

void queue_advice_cpu(struct str *out, const struct matrix_table *table)
{
	const struct matrix_sum *about = advice_about(table);
	struct str text = STR_INIT;

	if (!table->ns)
		return;
	if (about->ahead == about->waiter)
		str_add(&text,
			"most of that is behind its own kind: fewer threads that run at a time, or "
			"more CPUs for them. Who may use how many: taskset -pc, cpuset.cpus.");
	else if (table->groups[about->ahead].first)
		advice_process(&text, &table->groups[about->ahead]);
	else if (table->groups[about->ahead].ahead == MATRIX_QUOTA)
		str_add(&text,
			"its cgroup's cpu.max (or cpu.cfs_quota_us) holds it back, and "
			"no neighbour: see throttlehealth.");
	else if (table->groups[about->ahead].ahead == MATRIX_IDLE)
		str_add(&text,
			"nobody was ahead: this is how long a sleeping CPU takes to wake. "
			"See cstateshealth.");
	else
		str_add(&text,
			"look for longer (--for 30s): most waits were longer than is "
			"remembered.");
	advice_wrap(out, str_text(&text));
	str_free(&text);
}

void queue_advice_block(struct str *out, const struct matrix_table *table, const char *device)
{
	const struct matrix_sum *about = advice_about(table);
	const struct matrix_group *ahead = &table->groups[about->ahead];
	struct str text = STR_INIT, name = STR_INIT;

	if (about->ahead == about->waiter)
		str_addf(&text,
			"most of that is behind I/O of its own: fewer requests at a time, or a "
			"faster disk than %s.",
			device);
	else if (!ahead->first)
		str_addf(&text,
			"no neighbour stands in its way there: how fast %s answers is to be asked "
			"of 'tuesday disk'.",
			device);
	else if (ahead->first->is.is_kernel)
		str_addf(&text,
			"a thread of the kernel writes back what programs have written, or works "
			"for a file system: who writes so much is in 'tuesday writeback'.");
	if (!text.len) {
		queue_words_group(&name, ahead, 40);
		str_addf(&text,
			"give %s less of %s: ionice -c 3 -p %" PRIu32
			" where its scheduler is bfq, io.max or io.weight of its cgroup where that "
			"is had, or let it run at another time.",
			str_text(&name), device, ahead->first->is.pid);
	}
	advice_wrap(out, str_text(&text));
	str_free(&name);
	str_free(&text);
}
