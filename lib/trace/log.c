/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a declared trace tell of each event? */
#include "base/banned.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "bpf/pairlog.h"
#include "sys/caps.h"
#include "trace/attach.h"
#include "trace/job.h"
#include "trace/load.h"
#include "trace/log.h"
#include "trace/spec.h"
#include "trace/value_text.h"

#define CPUS_MAX 8192
#define NAME_MAX_BYTES 128

struct trace_log {
	struct trace_job job;
	struct ring_buffer *ring;
	void (*each)(void *arg, const struct trace_log_event *event);
	void *arg;
	bool is_over;
};

static void trace_log_device(__u64 device, char *text, size_t size)
{
	char path[64], link[256];
	ssize_t len;

	snprintf(text, size, "%" PRIu64 ":%" PRIu64, (uint64_t)(device >> 20),
		(uint64_t)(device & 0xfffff));
	snprintf(path, sizeof(path), "/sys/dev/block/%s", text);
	len = readlink(path, link, sizeof(link) - 1);
	if (len <= 0)
		return;
	link[len] = 0;
	if (strrchr(link, '/'))
		snprintf(text, size, "%s", strrchr(link, '/') + 1);
}

/* What a field holds, as text. */
static void trace_log_text(const struct trace_field *field, const struct event_format *format,
	const char *name, bool is_device, const __u8 value[TRACE_NAME], char *text, size_t size)
{
	__u64 number;

	memcpy(&number, value, sizeof(number));
	switch (field->kind) {
	case FIELD_NONE:
		*text = 0;
		break;
	case FIELD_COMM:
	case FIELD_CHARS:
	case FIELD_STRING:
	case FIELD_REL_STRING:
		snprintf(text, size, "%.*s", TRACE_NAME, (const char *)value);
		break;
	case FIELD_ADDRESS:
		trace_address_text(value, text, size);
		break;
	case FIELD_CPU:
		snprintf(text, size, "cpu%" PRIu64, (uint64_t)number);
		break;
	default:
		if (is_device)
			trace_log_device(number, text, size);
		else
			trace_number_text(format, name, field->is_signed, number, text, size);
	}
}

static int trace_log_event(void *arg, void *data, size_t size)
{
	struct trace_log *log = arg;
	const struct declared *declared = &log->job.declared;
	const struct pair_event *event = data;
	char who[NAME_MAX_BYTES], by[NAME_MAX_BYTES], comm[TRACE_NAME + 1];

	if (size < sizeof(*event))
		return 0;
	trace_log_text(&declared->pair.who, declared->who_format, log->job.spec->who,
		declared->who_is_device, event->who, who, sizeof(who));
	trace_log_text(&declared->pair.by, declared->by_format, log->job.spec->by,
		declared->instances == INSTANCE_DEVICE, event->by, by, sizeof(by));
	snprintf(comm, sizeof(comm), "%.*s", TRACE_NAME, event->comm);
	log->each(log->arg,
		&(struct trace_log_event){event->end_ns, event->value, event->tid, event->cpu,
			event->pid, who, by, comm});
	return 0;
}

static unsigned int trace_log_cpus(void)
{
	const long n = sysconf(_SC_NPROCESSORS_CONF);

	return n > 0 && n < CPUS_MAX ? (unsigned int)n : CPUS_MAX;
}

static int trace_log_load(struct trace_log *log)
{
	struct trace_machine machine = {.cpus = trace_log_cpus(), .tracefs = -EAGAIN};

	trace_job_load(&log->job, &machine);
	if (machine.tracefs >= 0)
		close(machine.tracefs);
	if (!log->job.is_loaded)
		return -ENOTSUP;
	log->ring = ring_buffer__new(log->job.loaded.events, trace_log_event, log, NULL);
	if (!log->ring) {
		str_addf(&log->job.missing, "its ring of events cannot be read: %s",
			strerror(errno));
		return -ENOTSUP;
	}
	trace_job_attach(&log->job);
	return log->job.is_loaded ? 0 : -ENOTSUP;
}

int trace_log_open(struct trace_log **out, const struct trace_spec *spec, struct str *why)
{
	struct trace_log *log = mem_zalloc(sizeof(*log));
	int err;

	log->job.spec = spec;
	log->job.logs = log->job.alone = true;
	/* Said first, since what is missed first else is something to read. */
	if (!caps_have(CAPS_BPF)) {
		str_add(why, "needs CAP_BPF and CAP_PERFMON: run as root");
		free(log);
		return -EPERM;
	}
	caps_raise(CAPS_BPF | CAPS_READ | CAPS_NAMESPACE);
	err = trace_log_load(log);
	caps_lower(CAPS_BPF | CAPS_READ | CAPS_NAMESPACE);
	if (err) {
		str_add(why, str_text(&log->job.missing));
		trace_log_close(log);
		return err;
	}
	*out = log;
	return 0;
}

void trace_log_begin(struct trace_log *log)
{
	trace_job_begin(&log->job);
}

void trace_log_end(struct trace_log *log)
{
	if (log->is_over)
		return;
	trace_job_end(&log->job);
	trace_job_detach(&log->job);
	log->is_over = true;
}

void trace_log_take(struct trace_log *log,
	void (*each)(void *arg, const struct trace_log_event *event), void *arg)
{
	log->each = each;
	log->arg = arg;
	ring_buffer__consume(log->ring);
}

uint64_t trace_log_lost(const struct trace_log *log)
{
	return log->job.loaded.lost->starts + log->job.misses;
}

const char *trace_log_method(const struct trace_log *log)
{
	return str_text(&log->job.method);
}

void trace_log_close(struct trace_log *log)
{
	if (!log)
		return;
	ring_buffer__free(log->ring);
	trace_job_unload(&log->job);
	free(log);
}
