/* SPDX-License-Identifier: GPL-2.0-only */
/* How are all processes watched at once for next to nothing? */
#include "base/banned.h"

#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "naps/watch.h"

#define SECOND_NS 1000000000ull
#define QUICK_SHARE \
	0.05 /* of a CPU in the last second: from here on a clock is read at each look */
#define QUICK_AFTER_NS (5 * SECOND_NS) /* and so long after */
#define QUICK_MAX 128
#define TURNS 25		/* the others: each once in so many looks, half a second */
#define EVIDENCE_NS 60000000ull /* a pause that is worth a look at the threads */
#define AGAIN_NS 100000000ull
#define KNOWN_NS (5 * SECOND_NS)

static void watch_release(struct nap_process *process)
{
	struct nap_watched *watched = process->watched;

	process->watched = NULL;
	process->quick = process->suspect;
	if (!watched)
		return;
	nap_baseline_free(&watched->baseline);
	nap_baseline_free(&watched->some_baseline);
	free(watched);
}

int nap_watch_open(struct nap_watch *watch)
{
	watch->look_ns = watch->look_ns ? watch->look_ns : NAP_LOOK_NS;
	watch->least_ns = watch->least_ns ? watch->least_ns : NAP_LEAST_NS;
	watch->least_busy = watch->least_busy > 0 ? watch->least_busy : NAP_LEAST_BUSY;
	nap_processes_open(&watch->processes);
	cpu_group_mount(&watch->mount);
	watch->began_ns = watch->now_ns = watch->due_ns = watch->chose_ns = monotonic_ns();
	return nap_processes_list(&watch->processes, watch->now_ns);
}

void nap_watch_close(struct nap_watch *watch)
{
	size_t i;

	for (i = 0; i < watch->processes.n; i++)
		watch_release(&watch->processes.list[i]);
	nap_processes_close(&watch->processes);
	free(watch->events);
	watch->events = NULL;
	watch->n_events = watch->room_events = 0;
}

/* What it listens with and which cgroup it is in, looked up while it runs. */
static void watch_know(struct nap_watch *watch, struct nap_process *process)
{
	struct nap_watched *watched = process->watched;

	if (watched->known_ns && watch->now_ns < watched->known_ns + KNOWN_NS)
		return;
	watched->known_ns = watch->now_ns;
	nap_process_name(process);
	memcpy(watched->group.point, watch->mount.point, sizeof(watched->group.point));
	cpu_group_of(&watched->group, process->pid);
	nap_service_find(&watched->service, process->pid);
}

/* Why, as far as is known by now. That a thread could run says least. */
static enum nap_cause watch_cause(const struct nap_watched *watched, bool throttled)
{
	const enum nap_cause cause = nap_cause_with_work(watched->event.cause, watched->work_waits);

	if (throttled && cause <= NAP_RUN_QUEUE)
		return NAP_QUOTA;
	return watched->queued && !nap_cause_counts(cause) && cause != NAP_ENDING ? NAP_RUN_QUEUE
										  : cause;
}

/* Whether it pauses with something to do: a process that is stopped uses no CPU. */
static bool watch_is_held(const struct nap_watched *watched)
{
	return watched->begun && nap_cause_counts(watch_cause(watched, false));
}

/* The second that is over tells how busy it is. */
static struct nap_watched *watch_admit(
	struct nap_process *process, uint64_t since_ns, uint64_t used_ns)
{
	struct nap_watched *watched = mem_zalloc(sizeof(*watched));
	struct nap_pause none;

	nap_finder_look(&watched->finder,
		process->first_ns > since_ns ? process->first_ns : since_ns,
		process->cpu_ns - used_ns, &none);
	process->watched = watched;
	return watched;
}

/* Once a second: who is worth a look each time. */
static void watch_choose_one(
	struct nap_watch *watch, struct nap_process *process, uint64_t since_ns, size_t *quick)
{
	const uint64_t used_ns = process->cpu_ns - process->second_cpu_ns;
	struct nap_watched *watched = process->watched;
	const bool busy = (double)used_ns >= QUICK_SHARE * SECOND_NS;

	process->second_cpu_ns = process->cpu_ns;
	if (busy && !watched && *quick < QUICK_MAX && !process->kernel &&
		(!watch->asked || watch->asked(watch->asked_arg, process->pid, process->comm)))
		watched = watch_admit(process, since_ns, used_ns);
	if (busy && watched) {
		watched->busy_ns = watch->now_ns;
		if (!watched->finder.still_ns)
			watch_know(watch, process);
	}
	if (watched && !watch_is_held(watched) && watch->now_ns > watched->busy_ns + QUICK_AFTER_NS)
		watch_release(process);
	process->quick = process->watched || process->suspect || (busy && *quick < QUICK_MAX);
	*quick += process->quick;
}

static void watch_choose(struct nap_watch *watch)
{
	const uint64_t since_ns = watch->chose_ns;
	size_t i, quick = 0;

	watch->chose_ns = watch->now_ns;
	for (i = 0; i < watch->processes.n; i++)
		if (watch->processes.list[i].gone)
			watch_release(&watch->processes.list[i]);
	nap_processes_list(&watch->processes, watch->now_ns);
	for (i = 0; i < watch->processes.n; i++)
		watch_choose_one(watch, &watch->processes.list[i], since_ns, &quick);
}

/* The pause has just been seen: what can be told apart only by what was before. */
static void watch_begin(
	struct nap_watch *watch, struct nap_process *process, const struct nap_pause *pause)
{
	struct nap_watched *watched = process->watched;
	struct nap_event *event = &watched->event;

	*event = (struct nap_event){.pid = process->pid,
		.begin_ns = pause->begin_ns,
		.busy = nap_finder_busy(&watched->finder)};
	memcpy(event->comm, process->comm, sizeof(event->comm));
	watched->begun = false;
	watched->work_waits = watched->queued = false;
	watched->next_look_ns = pause->first_ns + EVIDENCE_NS;
	nap_baseline_take(&watched->baseline, &watch->processes, pause->first_ns);
	watched->drops_known =
		watched->service.n && nap_service_drops(process->pid, &watched->drops);
}

/* Which cgroup holds it back is asked while it does: it may be frozen in one that it was not in
 * when it was looked up. */
static void watch_group(struct nap_watched *watched, pid_t pid)
{
	struct nap_event *event = &watched->event;
	const char *controller = nap_cause_controller(event->cause, event->function);
	char path[CPU_GROUP_PATH];

	if (controller && !strcmp(controller, "cpu"))
		snprintf(path, sizeof(path), "%s", watched->group.path);
	else if (!cpu_group_path(pid, controller, path, sizeof(path)))
		return;
	snprintf(event->group, sizeof(event->group), "%.*s", NAP_GROUP - 1, path);
}

/* Looks at its threads; at others only where it has something to do. */
static void watch_evidence(struct nap_watch *watch, struct nap_process *process)
{
	struct nap_watched *watched = process->watched;
	struct nap_event *event = &watched->event;
	struct nap_evidence evidence = {.cause = event->cause};
	uint64_t waiting;

	if (!watched->begun)
		watched->throttled_ns = cpu_group_throttled_ns(&watched->group);
	watched->begun = true;
	/* A long pause is no other one after a tenth of a second. */
	watched->next_look_ns = watch->now_ns + AGAIN_NS + (watch->now_ns - event->begin_ns) / 4;
	memcpy(evidence.function, event->function, sizeof(evidence.function));
	nap_evidence_look(process->pid, &evidence);
	waiting = nap_service_waiting(&watched->service, process->pid);
	event->waiting = waiting > event->waiting ? waiting : event->waiting;
	event->cause = evidence.cause;
	memcpy(event->function, evidence.function, sizeof(event->function));
	watch_group(watched, process->pid);
	watched->work_waits = watched->work_waits || event->waiting;
	watched->queued = watched->queued || evidence.queued;
	/* Who could run waits for those that ran, and they are busy: they are looked at anyway. */
	if (!watch_is_held(watched) || watch_cause(watched, false) == NAP_RUN_QUEUE)
		return;
	nap_processes_list(&watch->processes, watch->now_ns);
	nap_processes_look(&watch->processes, monotonic_ns());
	nap_suspects_find(event, &watched->baseline, &watch->processes, monotonic_ns());
	if (event->cause == NAP_MEMORY_MAP)
		nap_suspects_ask(event, &watched->baseline, &watch->processes);
}

/* Suspects are looked at each time from now on, so that what they do without a nap is known. */
static void watch_suspect(struct nap_watch *watch, struct nap_event *event)
{
	struct nap_process *process;
	size_t i;

	for (i = 0; i < event->n_suspects; i++) {
		process = nap_processes_find(&watch->processes, event->suspects[i].pid);
		if (!process)
			continue;
		process->suspect = process->quick = true;
		/* Its program may be another one since. */
		nap_process_name(process);
		memcpy(event->suspects[i].comm, process->comm, sizeof(process->comm));
	}
}

static void watch_emit(struct nap_watch *watch, const struct nap_event *event)
{
	if (watch->n_events >= NAP_EVENTS_MAX) {
		watch->lost_events++;
		return;
	}
	ARRAY_GROW(watch->events, watch->n_events, watch->room_events);
	watch->events[watch->n_events++] = *event;
	watch_suspect(watch, &watch->events[watch->n_events - 1]);
}

static uint64_t watch_late_within(const struct nap_watch *watch, const struct nap_event *event)
{
	const uint64_t from = watch->late_from_ns > event->begin_ns ? watch->late_from_ns
								    : event->begin_ns,
		       until = watch->late_until_ns < event->end_ns ? watch->late_until_ns
								    : event->end_ns;

	return until > from ? until - from : 0;
}

/* What is known of a pause by now, as an event. Returns whether it is a nap. */
static bool watch_finish(struct nap_watch *watch, struct nap_process *process,
	const struct nap_pause *pause, struct nap_event *event)
{
	struct nap_watched *watched = process->watched;
	uint64_t drops;

	*event = watched->event;
	event->begin_ns = pause->begin_ns;
	event->end_ns = pause->end_ns;
	if (watched->drops_known && nap_service_drops(process->pid, &drops) &&
		drops > watched->drops)
		event->drops = drops - watched->drops;
	watched->work_waits = watched->work_waits || event->drops;
	event->cause = watch_cause(
		watched, cpu_group_throttled_ns(&watched->group) > watched->throttled_ns);
	event->late_ns = watch_late_within(watch, event);
	return event->busy >= watch->least_busy && watched->begun && nap_cause_counts(event->cause);
}

static bool watch_is_long(const struct nap_watch *watch, const struct nap_pause *pause)
{
	return pause->end_ns >= pause->begin_ns + watch->least_ns;
}

bool nap_watch_ongoing(
	struct nap_watch *watch, struct nap_process *process, struct nap_event *event)
{
	struct nap_pause pause;

	if (!process->watched || process->gone || !watch_is_held(process->watched) ||
		!nap_finder_pause(&process->watched->finder, &pause) ||
		!watch_is_long(watch, &pause) || !watch_finish(watch, process, &pause, event))
		return false;
	event->goes_on = true;
	return true;
}

static void watch_conclude(
	struct nap_watch *watch, struct nap_process *process, const struct nap_pause *pause)
{
	struct nap_watched *watched = process->watched;
	struct nap_event event;

	if (!watch_is_long(watch, pause))
		return;
	watched->pauses++;
	if (!watch_finish(watch, process, pause, &event)) {
		watched->idles++;
		/* Who is held most of the time cannot be busy, and would never be found. */
		if (watched->begun && nap_cause_is_imposed(event.cause))
			nap_finder_forgive(&watched->finder, pause);
		return;
	}
	if (event.cause != NAP_RUN_QUEUE)
		nap_processes_look(&watch->processes, monotonic_ns());
	nap_suspects_find(&event, &watched->baseline, &watch->processes, watch->now_ns);
	nap_finder_forgive(&watched->finder, pause);
	watch_emit(watch, &event);
}

static void watch_pause(struct nap_watch *watch, struct nap_process *process, enum nap_seen seen,
	struct nap_pause *pause)
{
	struct nap_watched *watched = process->watched;

	if (seen == NAP_ENDED) {
		watch_conclude(watch, process, pause);
		watched->begun = false;
	} else if (seen == NAP_STILL && nap_finder_pause(&watched->finder, pause)) {
		if (watched->finder.stills == 1)
			watch_begin(watch, process, pause);
		if (watch->now_ns >= watched->next_look_ns)
			watch_evidence(watch, process);
	}
}

/* Some threads wait, and others run: who holds them up is asked while they wait. */
static void watch_some_begin(
	struct nap_watch *watch, struct nap_process *process, uint64_t since_ns)
{
	struct nap_watched *watched = process->watched;

	watched->some = (struct nap_event){.pid = process->pid,
		.begin_ns = since_ns,
		.partial = true,
		.cause = NAP_MEMORY_MAP,
		.busy = nap_finder_busy(&watched->finder)};
	memcpy(watched->some.comm, process->comm, sizeof(process->comm));
	watched->some_whole = false;
	nap_baseline_take(&watched->some_baseline, &watch->processes, since_ns);
}

/* A child appears when its fork is over, and so the processes are listed at the end. */
static void watch_some_end(struct nap_watch *watch, pid_t pid)
{
	struct nap_process *process;
	struct nap_event event;

	nap_processes_list(&watch->processes, watch->now_ns);
	nap_processes_look(&watch->processes, monotonic_ns());
	process = nap_processes_find(&watch->processes, pid);
	if (!process || !process->watched)
		return;
	nap_suspects_find(&process->watched->some, &process->watched->some_baseline,
		&watch->processes, watch->now_ns);
	nap_suspects_children(&process->watched->some, &watch->processes);
	snprintf(process->watched->some.group, NAP_GROUP, "%.*s", NAP_GROUP - 1,
		process->watched->group.path);
	event = process->watched->some;
	if (event.busy >= watch->least_busy)
		watch_emit(watch, &event);
}

static void watch_some(struct nap_watch *watch, struct nap_process *process)
{
	struct nap_watched *watched = process->watched;
	struct nap_event *some = &watched->some;
	char function[NAP_FUNCTION];
	uint64_t since_ns;

	nap_partial_look(
		&watched->partial, process->pid, watch->now_ns, function, sizeof(function));
	since_ns = nap_partial_since(&watched->partial);
	if (since_ns && since_ns != some->begin_ns)
		watch_some_begin(watch, process, since_ns);
	if (since_ns) {
		some->end_ns = watch->now_ns;
		watched->some_whole |= watched->finder.stills > 1;
		memcpy(some->function, function, sizeof(some->function));
		if (!some->n_suspects && watch->now_ns > since_ns + EVIDENCE_NS)
			nap_suspects_ask(some, &watched->some_baseline, &watch->processes);
	} else if (some->begin_ns) {
		const bool counts =
			some->end_ns >= some->begin_ns + watch->least_ns && !watched->some_whole;

		if (counts)
			watch_some_end(watch, process->pid);
		watched->some.begin_ns = 0;
	}
}

/* Evidence lists processes anew, so that their places change: each is looked up by its number. */
static void watch_one(struct nap_watch *watch, struct nap_process *process)
{
	struct nap_watched *watched = process->watched;
	const uint64_t from_ns = watched->finder.time_ns, before_ns = watched->finder.cpu_ns;
	struct nap_pause pause;
	enum nap_seen seen;

	if (process->gone)
		return;
	seen = nap_finder_look(&watched->finder, process->time_ns, process->cpu_ns, &pause);
	if (nap_finder_busy(&watched->finder) >= watch->least_busy || watched->begun)
		watched->watched_ns += from_ns ? process->time_ns - from_ns : 0;
	if (from_ns && watch->sample)
		watch->sample(watch->sample_arg, process, from_ns, process->time_ns,
			process->cpu_ns - before_ns);
	watch_pause(watch, process, seen, &pause);
}

void nap_watch_look(struct nap_watch *watch)
{
	struct nap_processes *processes = &watch->processes;
	pid_t pids[QUICK_MAX * 2];
	size_t i, n = 0;

	watch->now_ns = monotonic_ns();
	watch->looks++;
	if (watch->now_ns >= watch->chose_ns + SECOND_NS)
		watch_choose(watch);
	nap_processes_turn(processes, processes->n / TURNS + 1);
	for (i = 0; i < processes->n && n < ARRAY_SIZE(pids); i++)
		if (processes->list[i].watched)
			pids[n++] = processes->list[i].pid;
	for (i = 0; i < n; i++) {
		struct nap_process *process = nap_processes_find(processes, pids[i]);

		if (process && process->watched)
			watch_one(watch, process);
		process = nap_processes_find(processes, pids[i]);
		if (watch->partials && process && process->watched && !process->gone)
			watch_some(watch, process);
	}
}

void nap_watch_next(struct nap_watch *watch)
{
	const uint64_t now_ns = monotonic_ns();
	struct timespec until;

	watch->due_ns += watch->look_ns;
	if (watch->due_ns < now_ns)
		watch->due_ns = now_ns;
	until = (struct timespec){
		(time_t)(watch->due_ns / SECOND_NS), (long)(watch->due_ns % SECOND_NS)};
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		return;
	watch->now_ns = monotonic_ns();
	if (watch->now_ns > watch->due_ns + watch->look_ns) {
		const uint64_t late_ns = watch->now_ns - watch->due_ns;

		watch->late_count++;
		watch->late_ns += late_ns;
		watch->late_worst_ns =
			late_ns > watch->late_worst_ns ? late_ns : watch->late_worst_ns;
		watch->late_from_ns = watch->due_ns;
		watch->late_until_ns = watch->now_ns;
	}
	nap_watch_look(watch);
}

void nap_watch_end(struct nap_watch *watch)
{
	struct nap_event event;
	size_t i;

	for (i = 0; i < watch->processes.n; i++)
		if (nap_watch_ongoing(watch, &watch->processes.list[i], &event))
			watch_emit(watch, &event);
}
