/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the wait of a thread that could run and did not told as far as it is known, also where it
 * began and ended between two samples, and is who had the CPU accused, and never who waited?
 */
#include "base/banned.h"

#include <linux/types.h>
#include <math.h>

#include "base/culprit.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "sample/sweep.h"
#include "sample/source.h"
#include "tap.h"
#include "tree.h"

#define MS 1000000ull
#define TASKS_MAX 4

/* A machine of at most four threads, looked at twice or thrice, a second apart. */
struct machine {
	struct task_record tasks[TASKS_MAX];
	size_t n;
	struct tree tree;
	int samples;
};

static struct machine machine_new(void)
{
	struct machine machine = {.tree = tree_new()};

	return machine;
}

static struct task_record *machine_add(
	struct machine *machine, uint32_t tid, const char *comm, uint32_t cpu)
{
	struct task_record *task = &machine->tasks[machine->n++];

	*task = (struct task_record){.tid = tid,
		.tgid = tid,
		.start = 9,
		.cpu_and_1 = cpu + 1,
		.allowed_cpus = 1,
		.has = TASK_HAS_DELAY | TASK_HAS_WAIT};
	memcpy(task->comm, comm, strlen(comm));
	return task;
}

static void machine_sample(struct machine *machine)
{
	uint16_t head[] = {TASK_RECORD_VERSION, sizeof(struct task_record), 0, 0, 0, 0};
	struct str blob = STR_INIT;
	char path[16], time[32];
	size_t i;

	str_add(&blob, "task");
	str_addn(&blob, head, sizeof(head));
	for (i = 0; i < machine->n; i++)
		str_addn(&blob, &machine->tasks[i], sizeof(machine->tasks[i]));
	snprintf(path, sizeof(path), "%d/@task", machine->samples);
	tree_write_bytes(&machine->tree, path, str_text(&blob), blob.len);
	snprintf(path, sizeof(path), "%d/time", machine->samples);
	snprintf(time, sizeof(time), "%llu\n",
		((unsigned long long)machine->samples + 5) * 1000 * MS);
	tree_write(&machine->tree, path, time);
	machine->samples++;
	str_free(&blob);
}

/* The value of a key in the last sample, and who is accused for the thread 7. */
static double machine_ask(const struct machine *machine, const char *key, struct culprit *culprit)
{
	struct sweep *sweep = sweep_new();
	int r = sweep_reference(sweep, "starved", key);
	struct capture *fs = NULL;
	double value;

	if (capture_open_replay(&fs, machine->tree.dir))
		exit(1);
	sweep_open(sweep, fs);
	while (!sweep_take(sweep))
		;
	value = sweep_value(sweep, r, sweep_samples(sweep) - 1, 0);
	*culprit = (struct culprit){0};
	sweep_culprit(sweep, r, "7@9", culprit);
	sweep_free(sweep);
	capture_close(fs);
	return value;
}

static double machine_value(const struct machine *machine, const char *key)
{
	struct culprit culprit;

	return machine_ask(machine, key, &culprit);
}

static bool is_near(double value, double expected)
{
	return fabs(value - expected) < 1e-6;
}

/* A web server that waits, a hog in real time on its CPU, and somebody busy on another. */
static struct machine three_threads(void)
{
	struct machine machine = machine_new();

	machine_add(&machine, 7, "web", 1);
	machine_add(&machine, 8, "hog", 1)->policy = 1;
	machine_add(&machine, 9, "far", 0);
	machine_sample(&machine);
	machine.tasks[1].cpu_ns += 700 * MS;
	machine.tasks[2].cpu_ns += 900 * MS;
	return machine;
}

static void test_one_wait(void)
{
	struct machine machine = three_threads();
	struct culprit culprit;

	machine.tasks[0].run_delay_ns += 700 * MS;
	machine.tasks[0].timeslices += 1;
	machine_sample(&machine);
	ok(is_near(machine_ask(&machine, "7@9.ended_seconds", &culprit), 0.7),
		"a wait that began and ended between two samples");
	ok(!strcmp(culprit.kind, "process") && !strcmp(culprit.name, "hog") &&
			!strcmp(culprit.id, "8"),
		"who had the CPU is accused, not who ran more on another");
	ok(machine_value(&machine, "none.ended_seconds") == 0, "none is always there");
	ok(isnan(machine_value(&machine, "7@9.possible_seconds")),
		"how long a wait can have been is known only with the longest of a life");
	tree_free(&machine.tree);
}

static void test_many_waits(void)
{
	struct machine machine = three_threads();
	struct task_record *web = &machine.tasks[0];

	web->run_delay_ns += 700 * MS;
	web->timeslices += 70;
	machine_sample(&machine);
	ok(is_near(machine_value(&machine, "7@9.ended_seconds"), 0.01),
		"of seventy waits the longest was the mean at least: no starvation");
	web->run_delay_ns += 700 * MS;
	web->timeslices += 70;
	web->longest_delay_ns = 600 * MS;
	machine_sample(&machine);
	ok(is_near(machine_value(&machine, "7@9.ended_seconds"), 0.6),
		"the longest of its life is known to the nanosecond");
	web->run_delay_ns += 700 * MS;
	web->timeslices += 70;
	machine_sample(&machine);
	ok(is_near(machine_value(&machine, "7@9.ended_seconds"), 0.01) &&
			is_near(machine_value(&machine, "7@9.possible_seconds"), 0.6),
		"another as long, or many short ones: both are said");
	tree_free(&machine.tree);
}

static void test_wait_under_way(void)
{
	struct machine machine = three_threads();
	struct culprit culprit;

	machine.tasks[0].queued = 1;
	machine.tasks[0].wait_ns = 650 * MS;
	machine_sample(&machine);
	ok(is_near(machine_ask(&machine, "7@9.waiting_seconds", &culprit), 0.65) &&
			!strcmp(culprit.name, "hog"),
		"a wait under way, behind whoever has the CPU");
	machine.tasks[0].nice = 19;
	machine_sample(&machine);
	ok(isnan(machine_value(&machine, "7@9.waiting_seconds")), "at nice 19 it is its own wish");
	tree_free(&machine.tree);
}

/* A thread that came to the CPU at the end may have run more, elsewhere. */
static void test_realtime_first(void)
{
	struct machine machine = three_threads();
	struct culprit culprit;

	machine.tasks[0].run_delay_ns += 700 * MS;
	machine.tasks[0].timeslices += 1;
	machine.tasks[2].cpu_and_1 = 2;
	machine_sample(&machine);
	machine_ask(&machine, "7@9.ended_seconds", &culprit);
	ok(!strcmp(culprit.name, "hog"), "a real-time thread that ran for half of the wait first");
	tree_free(&machine.tree);
}

static void test_nobody_known(void)
{
	struct machine machine = three_threads();
	struct culprit culprit;

	machine.tasks[0].run_delay_ns += 700 * MS;
	machine.tasks[0].timeslices += 1;
	machine.tasks[0].cpu_and_1 = 0;
	machine_sample(&machine);
	machine_ask(&machine, "7@9.ended_seconds", &culprit);
	ok(!*culprit.name, "where nobody is known to have had the CPU nobody is accused");
	tree_free(&machine.tree);
}

/* Threads beyond what is read come into view with the waits of their whole life. */
static void test_first_seen(void)
{
	struct machine machine = three_threads();

	machine.tasks[0].start = 11;
	machine.tasks[0].run_delay_ns = 700 * MS;
	machine.tasks[0].timeslices = 1;
	machine_sample(&machine);
	ok(is_near(machine_value(&machine, "7@11.ended_seconds"), 0.7), "a thread that is new");
	machine.tasks[0].start = 12;
	machine.tasks[0].cpu_ns = 5000 * MS;
	machine_sample(&machine);
	ok(isnan(machine_value(&machine, "7@12.ended_seconds")),
		"one that is older than what was looked at has no history here");
	tree_free(&machine.tree);
}

/* Without BPF no wait is stamped: a thread that wants to run and whose counters stand still. */
static void test_walked(void)
{
	struct machine machine = machine_new();
	struct task_record *web = machine_add(&machine, 7, "web", 1);

	web->has = TASK_HAS_DELAY;
	web->runnable = 1;
	web->timeslices = 5;
	web->cpu_ns = 10 * MS;
	machine_sample(&machine);
	machine_sample(&machine);
	ok(is_near(machine_value(&machine, "7@9.waiting_seconds"), 1) &&
			isnan(machine_value(&machine, "none.waiting_seconds")),
		"by /proc alone: at least since the sample before, and nobody is cleared");
	machine_sample(&machine);
	ok(is_near(machine_value(&machine, "7@9.waiting_seconds"), 2), "and longer");
	web->cpu_ns += MS;
	machine_sample(&machine);
	ok(isnan(machine_value(&machine, "7@9.waiting_seconds")), "until it runs");
	tree_free(&machine.tree);
}

int main(void)
{
	test_one_wait();
	test_many_waits();
	test_wait_under_way();
	test_realtime_first();
	test_nobody_known();
	test_first_seen();
	test_walked();
	return tap_done();
}
