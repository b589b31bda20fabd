/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What did the CPUs spend their time on? Fields cpu.user … for all together, user … for each CPU
 * ("cpu0"), in seconds, and the plain counters of /proc/stat.
 *
 * USER_HZ is 100 on every architecture that Linux still runs on, so a replay needs not know the
 * machine's. guest is already inside user, and guest_nice inside nice.
 */
#include "base/banned.h"
#include "sources/common/cpu_node.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/kernel/stat.h"
#include "sample/source.h"

#define USER_HZ 100.0

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, TIMES };

static const char *const names[TIMES] = {"user", "nice", "system", "idle", "iowait", "irq",
	"softirq", "steal", "guest", "guest_nice"};

static void put_time(struct sink *sink, const char *cpu, const char *name, double seconds)
{
	if (*cpu)
		sink_put(sink, cpu, name, seconds);
	else
		text_put(sink, "", "cpu.", (struct bytes){name, strlen(name)}, seconds);
}

static size_t take_times(struct bytes words, double times[TIMES])
{
	double value;
	size_t n = 0;

	for (; n < TIMES && text_next_number(&words, &value); n++)
		times[n] = value / USER_HZ;
	return n;
}

static double sum_of_busy(const double times[TIMES])
{
	return times[USER] + times[NICE] + times[SYSTEM] + times[IRQ] + times[SOFTIRQ] +
		times[STEAL];
}

bool parse_busy_time(struct bytes words, double *busy, double *total)
{
	double times[TIMES];

	if (take_times(words, times) <= STEAL)
		return false;
	*busy = sum_of_busy(times);
	*total = *busy + times[IDLE] + times[IOWAIT];
	return true;
}

/* The times of a CPU, "" for all of them. */
static void put_times(struct sink *sink, const char *cpu, struct bytes words)
{
	double times[TIMES], busy;
	size_t i, n = take_times(words, times);

	for (i = 0; i < n; i++)
		put_time(sink, cpu, names[i], times[i]);
	if (n <= STEAL)
		return;
	busy = sum_of_busy(times);
	put_time(sink, cpu, "busy", busy);
	put_time(sink, cpu, "total", busy + times[IDLE] + times[IOWAIT]);
}

static void put_counter(struct sink *sink, struct bytes name, struct bytes words)
{
	static const char *const plain[] = {
		"ctxt", "btime", "processes", "procs_running", "procs_blocked"};
	double value;
	size_t i;

	if (!text_next_number(&words, &value))
		return;
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (text_is(name, plain[i]))
			sink_put(sink, "", plain[i], value);
	if (text_is(name, "intr"))
		sink_put(sink, "", "intr_total", value);
	if (text_is(name, "softirq"))
		sink_put(sink, "", "softirq_total", value);
}

void parse_stat(struct bytes text, struct sink *sink)
{
	struct bytes line, name;
	char cpu[24];

	while (text_line(&text, &line)) {
		if (!text_word(&line, &name))
			continue;
		if (text_is(name, "cpu"))
			put_times(sink, "", line);
		else if (text_starts(name, "cpu") && text_copy(name, cpu, sizeof(cpu)))
			put_times(sink, cpu, line);
		else
			put_counter(sink, name, line);
	}
}

static int read_stat(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/stat", parse_stat, sink);
}

SOURCE(stat) = {
	.name = "stat",
	.what = "/proc/stat: CPU time in seconds, forks, context switches",
	.read = read_stat,
	.groups = "node",
	.group_of = cpu_node_group_of,
};
