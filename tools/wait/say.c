/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be said of a process, in a sentence? */
#include "base/banned.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/str.h"
#include "base/unit.h"
#include "tools/wait/answer.h"
#include "tools/wait/calls.h"
#include "tools/wait/limits.h"
#include "tools/wait/watch.h"
#include "tools/wait/say.h"

/* What a sentence is made of. */
struct say {
	struct wait_answer *answer;
	const struct wait_look *look;
	const struct wait_limits *limits;
	uint64_t cpu_ns;
	uint32_t pid;	/* of who is to be looked at further */
	double busy_ns; /* all but waiting for work and for its own threads' signs */
};

static void say_duration(struct str *out, double ns)
{
	value_for_people(out, ns / 1e9, UNIT_SECONDS);
}

static uint64_t say_row(const struct say *say, enum wait_category category)
{
	return category == WAIT_CPU ? say->cpu_ns : say->answer->rows[category].ns;
}

/* What the process did most of its time, but for sleeping if something else is near it: what sleeps
 * while it holds a lock is less to blame than the lock. */
static enum wait_category say_top(const struct say *say)
{
	static const enum wait_category asked[] = {WAIT_CPU, WAIT_STOLEN, WAIT_QUEUE, WAIT_QUOTA,
		WAIT_DISK, WAIT_LOCK, WAIT_OWN_LOCK, WAIT_SHARED, WAIT_MEMORY, WAIT_PEER,
		WAIT_CHILDREN, WAIT_STOPPED, WAIT_OTHER, WAIT_ELSE};
	enum wait_category top = WAIT_SLEEP;
	double most = 0.8 * (double)say_row(say, WAIT_SLEEP);
	size_t i;

	if (say->busy_ns < say->limits->told.busy * say->look->seconds * 1e9)
		return say_row(say, WAIT_THREAD) > say_row(say, WAIT_WORK) ? WAIT_THREAD
									   : WAIT_WORK;
	for (i = 0; i < ARRAY_SIZE(asked); i++)
		if ((double)say_row(say, asked[i]) > most) {
			most = (double)say_row(say, asked[i]);
			top = asked[i];
		}
	return top;
}

static void say_share(struct str *out, const struct say *say, enum wait_category category)
{
	str_addf(out, "%.0f %% of its busy time",
		say->busy_ns > 0 ? 100 * (double)say_row(say, category) / say->busy_ns : 0);
}

/* The first one that is named in a row, where it has enough of it; else NULL. */
static const struct wait_named *say_first(const struct say *say, enum wait_category category)
{
	const struct wait_row *row = &say->answer->rows[category];

	return row->n && (double)row->named->ns >= 0.2 * (double)row->ns ? row->named : NULL;
}

static double say_per_second(const struct say *say, uint64_t count)
{
	return say->look->seconds > 0 ? (double)count / say->look->seconds : 0;
}

static uint64_t say_count(const struct say *say, enum wait_category category)
{
	const struct wait_row *row = &say->answer->rows[category];
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < row->n; i++)
		count += row->named[i].count;
	return count;
}

/* Whether it asks again and again for what is not there: then it waits for CPUs for nothing, too.
 */
static bool say_nothing(struct str *out, const struct say *say)
{
	const struct waits_process *seen = &say->answer->process->seen;
	const double calls =
		say->look->sees_calls ? (double)seen->nothing / say->look->calls_seconds : 0;

	if (calls < say->limits->nothing.calls ||
		(double)seen->nothing < say->limits->nothing.share * (double)seen->calls)
		return false;
	str_addf(out, "reads nothing, again and again: %.0f system calls/s bring nothing, ", calls);
	str_addf(out, "%.0f %% of all that it makes",
		100 * (double)seen->nothing / (double)seen->calls);
	str_add(&say->answer->advice,
		"Let it wait for what it reads (poll, epoll, or a blocking read) instead of "
		"asking again.");
	return true;
}

static void say_cpu(struct str *out, const struct say *say)
{
	const struct wait_row *functions = &say->answer->functions;

	if (say_nothing(out, say))
		return;
	str_add(out, "computes: ");
	say_share(out, say, WAIT_CPU);
	str_add(out, " is on CPUs");
	if (!isnan(say->answer->user_share))
		str_addf(out, ", %.0f %% of that in the program itself",
			100 * say->answer->user_share);
	if (functions->n &&
		(double)functions->named->ns >= say->limits->told.function * (double)functions->ns)
		str_addf(out, ", most in %s", functions->named->text);
	str_addf(&say->answer->advice, "Its functions: cpudiagnose %" PRIu32, say->pid);
}

static void say_queue(struct str *out, const struct say *say)
{
	const struct wait_named *who = say_first(say, WAIT_QUEUE);

	if (say_nothing(out, say))
		return;
	str_add(out, "waits for a CPU: ");
	say_share(out, say, WAIT_QUEUE);
	if (who)
		str_addf(out, ", %.0f %% of that behind %s",
			100 * (double)who->ns / (double)say_row(say, WAIT_QUEUE), who->text);
	str_add(&say->answer->advice,
		"It needs a larger share (nice, cpu.weight), another CPU, or less beside it.");
}

static bool say_is_rare(const struct say *say, enum wait_category category, uint32_t part)
{
	const struct wait_process *process = say->answer->process;
	const double count = (double)say_count(say, category), ns = (double)say_row(say, category),
		     slow = (double)process->n_slow[part];

	return count >= say->limits->rare.least && slow > 0 &&
		slow <= say->limits->rare.count * count &&
		(double)process->slow_ns[part] >= say->limits->rare.time * ns &&
		(double)process->slowest[0].ns >= say->limits->rare.times * ns / count;
}

/* The waits that were told one by one, of one part. */
static void say_slowest(struct say *say, uint32_t part)
{
	const struct wait_process *process = say->answer->process;
	struct str *more = &say->answer->more;
	size_t i;

	for (i = 0; i < process->n_slowest; i++) {
		const struct waits_slow *slow = &process->slowest[i];
		const char *call = wait_call_name(slow->key.nr);
		uint64_t began = slow->at_ns - slow->ns;

		if (slow->key.part != part)
			continue;
		began = began > say->look->began_ns ? began - say->look->began_ns : 0;
		str_addf(more, "slow at %.3f s of the look: ", (double)began / 1e9);
		say_duration(more, (double)slow->ns);
		if (call)
			str_addf(more, " in %s()", call);
		else
			str_add(more,
				slow->key.nr == WAITS_NO_CALL ? " in a page fault"
							      : " in a system call");
		if (say->answer->slow_on[i])
			str_addf(more, " on %s", say->answer->slow_on[i]);
		str_addf(more, ", thread %" PRIu32 "\n", slow->tid);
	}
}

static void say_rare(struct str *out, struct say *say, const char *what, uint32_t part)
{
	const struct wait_process *process = say->answer->process;

	str_addf(out, "has rare slow waits for %s among many quick ones: %" PRIu64 " of them took ",
		what, process->n_slow[part]);
	say_duration(out, (double)process->slow_ns[part]);
	str_add(out, ", the slowest ");
	say_duration(out, (double)process->slowest[0].ns);
	say_slowest(say, part);
}

/* Who stood ahead of its requests longest, of all devices. */
struct say_ahead {
	const struct wait_disk *disk;
	const struct wait_named *who; /* NULL: nobody for long enough to be named */
	uint64_t all_ns;	      /* of its requests */
};

static void say_find_ahead(struct say_ahead *ahead, const struct say *say)
{
	size_t i, k;

	*ahead = (struct say_ahead){0};
	for (i = 0; i < say->answer->n_disks; i++) {
		const struct wait_disk *disk = &say->answer->disks[i];

		ahead->all_ns += disk->ahead.ns;
		for (k = 0; k < disk->ahead.n; k++) {
			const struct wait_named *who = &disk->ahead.named[k];

			if (who->pid && (!ahead->who || who->ns > ahead->who->ns)) {
				ahead->who = who;
				ahead->disk = disk;
			}
		}
	}
	if (ahead->who && (double)ahead->who->ns < say->limits->disk.behind * (double)ahead->all_ns)
		ahead->who = NULL;
}

/* Behind whom, and what to do about that; alone is what helps where nobody is in the way. */
static void say_behind(struct str *out, const struct say *say, const char *alone)
{
	struct str *advice = &say->answer->advice;
	const uint32_t pid = say->pid;
	struct say_ahead ahead;

	say_find_ahead(&ahead, say);
	if (ahead.who) {
		str_addf(out, "; of its requests' time on %s %.0f %% behind %s", ahead.disk->name,
			100 * (double)ahead.who->ns / (double)ahead.all_ns, ahead.who->text);
		if (ahead.who->pid == pid)
			str_addf(advice,
				"It is in its own way on %s: less at a time, or a device "
				"that does more at once.",
				ahead.disk->name);
		else
			str_addf(advice,
				"That one is to ask for less (io.max or io.weight of its cgroup, "
				"ionice), or to have another device: queuediagnose %" PRIu32
				" %" PRIu32 " --only disk",
				pid, ahead.who->pid);
		return;
	}
	if ((double)ahead.all_ns >= say->limits->disk.seen * (double)say_row(say, WAIT_DISK)) {
		str_add(out, ", and nobody's I/O is in its way for long");
		str_addf(advice, "As that is the device itself: %s.", alone);
		return;
	}
	str_addf(advice,
		"Behind whose I/O: queuediagnose %" PRIu32 " --only disk. Where behind "
		"nobody's: %s.",
		pid, alone);
}

static void say_disk(struct str *out, struct say *say)
{
	const struct wait_named *call = say_first(say, WAIT_DISK);
	const uint64_t count = say_count(say, WAIT_DISK);
	const double mean = count ? (double)say_row(say, WAIT_DISK) / (double)count : 0;

	if (say_is_rare(say, WAIT_DISK, WAITS_DISK)) {
		say_rare(out, say, "disks", WAITS_DISK);
		say_behind(out, say, "what it did at these moments (tuesday run disk --deep)");
		return;
	}
	if (call && say_per_second(say, count) >= say->limits->small.count &&
		mean <= say->limits->small.wait * 1e9) {
		str_addf(out, "waits for many small disk operations: %.0f waits/s in %s, ",
			say_per_second(say, count), call->text);
		say_duration(out, mean);
		str_add(out, " each, ");
		say_share(out, say, WAIT_DISK);
		say_behind(out, say,
			strstr(call->text, "sync") ? "write more with each fsync, or group commits"
						   : "more at a time, read ahead, or a cache");
		return;
	}
	str_add(out, "waits for disks: ");
	say_share(out, say, WAIT_DISK);
	if (call)
		str_addf(out, ", most in %s", call->text);
	say_behind(out, say, "a quicker one, or a cache (tuesday run disk --deep)");
}

static void say_children(struct str *out, const struct say *say)
{
	const struct wait_process *process = say->answer->process;
	struct waits_child_sum all = {0};
	size_t i;

	for (i = 0; i < process->n_children; i++) {
		all.count += process->children[i].sum.count;
		all.life_ns += process->children[i].sum.life_ns;
		all.exec_ns += process->children[i].sum.exec_ns;
	}
	if (say_per_second(say, all.count) >= say->limits->children.count &&
		(double)all.life_ns <= say->limits->children.life * 1e9 * (double)all.count) {
		str_addf(out, "has its work done by children that live for moments: %.0f/s, ",
			say_per_second(say, all.count));
		say_duration(out, (double)all.life_ns / (double)all.count);
		str_addf(out, " each, most of them '%s'", process->children->comm);
		str_add(&say->answer->advice,
			"Starting a process costs more than such a life: do it in one that stays.");
		return;
	}
	str_add(out, "waits for its children: ");
	say_share(out, say, WAIT_CHILDREN);
	str_addf(&say->answer->advice, "Ask for these: ps --ppid %" PRIu32 ", then waitdiagnose",
		say->pid);
}

static void say_with(struct str *out, const struct say *say, enum wait_category category,
	const char *what, const char *behind)
{
	const struct wait_named *who = say_first(say, category);

	str_add(out, what);
	if (who)
		str_addf(out, "%s%s", behind, who->text);
	str_add(out, ": ");
	say_share(out, say, category);
}

static void say_peer(struct str *out, struct say *say)
{
	const struct wait_named *who = say_first(say, WAIT_PEER);

	if (say_is_rare(say, WAIT_PEER, WAITS_DATA)) {
		say_rare(out, say, who ? who->text : "a peer", WAITS_DATA);
		return;
	}
	str_addf(out, "waits for %s: ", who ? who->text : "a peer");
	say_share(out, say, WAIT_PEER);
	str_addf(&say->answer->advice, "Look there next%s.",
		who && strchr(who->text, '(') ? ": waitdiagnose of that process" : "");
}

static void say_sleep(struct str *out, const struct say *say)
{
	const struct wait_named *call = say_first(say, WAIT_SLEEP);

	str_add(out, "sleeps by its own wish: ");
	say_share(out, say, WAIT_SLEEP);
	if (call) {
		str_addf(out, ", %.1f times/s for ", say_per_second(say, call->count));
		say_duration(out, (double)call->ns / (double)call->count);
	}
	str_add(&say->answer->advice,
		"No other machine makes that quicker: find the sleep, or the retry, in the "
		"program.");
}

static void say_work(struct str *out, struct say *say)
{
	str_add(out, "only waits for work: it was busy for ");
	say_duration(out, say->busy_ns);
	str_add(out, " of ");
	say_duration(out, say->look->seconds * 1e9);
	str_add(&say->answer->advice, "Look at who should give it work.");
}

/* What is said by one rule: a sentence, and an advice that may have the PID in its middle. */
struct say_plain {
	const char *what, *behind;
	const char *advice, *advice_behind_pid;
};

static const struct say_plain say_plain[WAIT_CATEGORIES] = {
	[WAIT_STOLEN] = {.what = "is interrupted on its CPU, or the host takes it", .behind = ""},
	[WAIT_QUOTA] = {.what = "is held back by the CPU quota of its cgroup",
		.behind = "",
		.advice = "A larger cpu.max (cpu.cfs_quota_us), or fewer threads at a time."},
	[WAIT_LOCK] = {.what = "waits for a lock of the kernel", .behind = " that is held by "},
	[WAIT_OWN_LOCK] = {.what = "waits for a mutex of its own",
		.behind = " that is held by ",
		.advice = "Who holds it, and where: offcpudiagnose --wakers ",
		.advice_behind_pid = ""},
	[WAIT_SHARED] = {.what = "waits for a lock that processes share",
		.behind = ", in ",
		.advice = "Who has it, and on which file: lslocks (of semaphores: ipcs -s -t). "
			  "What that one does meanwhile: waitdiagnose of it."},
	[WAIT_MEMORY] = {.what = "waits for memory",
		.behind = ", in ",
		.advice = "Who uses it up: tuesday run memory cgmem swap"},
	[WAIT_STOPPED] = {.what = "is stopped, by a signal or a debugger",
		.behind = "",
		.advice = "kill -CONT ",
		.advice_behind_pid = " lets it go on."},
	[WAIT_OTHER] = {.what = "sleeps uninterruptibly", .behind = ", in "},
	[WAIT_ELSE] = {.what = "waits for something unknown",
		.behind = ", in ",
		.advice = "Where in the kernel: cat /proc/",
		.advice_behind_pid = "/stack"},
};

static void say_plainly(struct str *out, struct say *say)
{
	const struct say_plain *plain = &say_plain[say->answer->top];
	struct str *advice = &say->answer->advice;

	say_with(out, say, say->answer->top, plain->what, plain->behind);
	if (plain->advice)
		str_add(advice, plain->advice);
	if (plain->advice_behind_pid)
		str_addf(advice, "%" PRIu32 "%s", say->pid, plain->advice_behind_pid);
}

static void say_category(struct str *out, struct say *say)
{
	switch (say->answer->top) {
	case WAIT_CPU:
		say_cpu(out, say);
		break;
	case WAIT_QUEUE:
		say_queue(out, say);
		break;
	case WAIT_DISK:
		say_disk(out, say);
		break;
	case WAIT_PEER:
		say_peer(out, say);
		break;
	case WAIT_CHILDREN:
		say_children(out, say);
		break;
	case WAIT_SLEEP:
		say_sleep(out, say);
		break;
	case WAIT_THREAD:
		str_add(out, "waits for its own other threads, which have nothing to do either");
		break;
	case WAIT_WORK:
		say_work(out, say);
		break;
	default:
		say_plainly(out, say);
		break;
	}
}

static void say_died(struct str *out, const struct say *say)
{
	const struct waits_process *seen = &say->answer->process->seen;
	const int status = (int)seen->status;

	if (!seen->died_ns)
		return;
	str_addf(out, "ended %.1f s after the look began, ",
		(double)(seen->died_ns - say->look->began_ns) / 1e9);
	if (WIFSIGNALED(status))
		str_addf(out, "killed by SIG%s; until then it ",
			sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?");
	else
		str_addf(out, "with exit status %d; until then it ", WEXITSTATUS(status));
}

/* Of several processes the one that has most of what they do. */
static uint32_t say_whom(const struct say *say)
{
	const struct wait_row *rows = say->answer->rows, *most = &rows[say->answer->top];

	if (!say->answer->processes)
		return say->answer->process->pid;
	if (say->answer->top == WAIT_CPU && rows[WAIT_USER].most_ns > most->most_ns)
		most = &rows[WAIT_USER];
	if (say->answer->top == WAIT_CPU && rows[WAIT_KERNEL].most_ns > most->most_ns)
		most = &rows[WAIT_KERNEL];
	return most->most_pid;
}

void wait_answer_say(
	struct wait_answer *answer, const struct wait_look *look, const struct wait_limits *limits)
{
	struct say say = {.answer = answer, .look = look, .limits = limits};

	say.cpu_ns = answer->rows[WAIT_USER].ns + answer->rows[WAIT_KERNEL].ns +
		answer->rows[WAIT_CPU].ns;
	say.busy_ns = (double)answer->parts_ns - (double)answer->rows[WAIT_WORK].ns -
		(double)answer->rows[WAIT_THREAD].ns;
	answer->top = say_top(&say);
	say.pid = say_whom(&say);
	if (answer->processes)
		str_addf(&answer->sentence, "%s (%zu processes) ", answer->name, answer->processes);
	else
		str_addf(&answer->sentence, "%s (pid %" PRIu32 ") ", answer->name,
			answer->process->pid);
	if (answer->ended)
		str_addf(&answer->more, "of the processes %zu ended during the look\n",
			answer->ended);
	if (!answer->wall_ns) {
		answer->top = WAIT_WORK;
		str_add(&answer->sentence, "ended before the look began.");
		return;
	}
	say_died(&answer->sentence, &say);
	say_category(&answer->sentence, &say);
	str_addc(&answer->sentence, '.');
}
