/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a trace get into the kernel, and what takes its place where it does not? */
#include "base/banned.h"

#include <bpf/btf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/caps.h"
#include "trace/tracefs.h"
#include "trace/job.h"
#include "trace/load.h"
#include "trace/since.h"
#include "trace/attach.h"
#include "trace/spec.h"
#include "sys/caller_env.h"

/* The inode of the pid namespace that the machine began with (PROC_PID_INIT_INO). */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCu
#define BTF "/sys/kernel/btf/vmlinux"

bool trace_without(const char *what)
{
	const char *list = caller_env("TUESDAY_WITHOUT"), *found;
	size_t len = strlen(what);

	for (; list && *list; list = found ? found + 1 : NULL) {
		found = strchr(list, ',');
		if ((found ? (size_t)(found - list) : strlen(list)) == len &&
			!memcmp(list, what, len))
			return true;
	}
	return false;
}

/* What a person can make of an error of the kernel at loading or attaching. */
static void trace_explain_load(struct str *why, int err)
{
	switch (-err) {
	case EPERM:
		if (!caps_have(CAPS_BPF) || trace_without("bpf"))
			str_add(why, "needs CAP_BPF and CAP_PERFMON: run as root");
		else if (kernel_is_before(5, 11))
			str_add(why,
				"the kernel refuses BPF programs here: RLIMIT_MEMLOCK is too low "
				"(ulimit -l), or lockdown, or a container's seccomp filter");
		else
			str_add(why,
				"the kernel refuses BPF programs here, even with CAP_BPF and "
				"CAP_PERFMON: lockdown, or a container's seccomp filter");
		break;
	case ENOSYS:
		str_add(why, "this kernel has no BPF (CONFIG_BPF_SYSCALL)");
		break;
	case ESRCH:
		str_add(why, "this kernel lacks its tracepoint");
		break;
	case EINVAL:
	case EACCES:
		str_addf(why, "this kernel lacks what its program reads (%s)", strerror(-err));
		break;
	case E2BIG:
	case ENOMEM:
		str_add(why, "the kernel has no memory for its maps, or RLIMIT_MEMLOCK is too low");
		break;
	default:
		str_addf(why, "it does not load: %s", strerror(-err));
	}
}

static int load_either(
	const struct tracer *tracer, const struct tracer_setup *setup, struct tracer_loaded *out)
{
	int err;

	if (trace_without("bpf"))
		return -EPERM;
	err = trace_without("light") ? -EPERM : tracer->load_object(setup, out);
	if (err == -ENOTSUP)
		err = tracer->load_light(setup, out);
	if (!err)
		return 0;
	return tracer->load_full(setup, out);
}

/* Shares of a second to the unit that the program counts in. */
static uint64_t slow_of(const struct trace_spec *spec, bool special)
{
	double unit = !special && spec->value ? spec->value_unit : 1e-9;
	double slow = unit > 0 ? spec->slow_seconds / unit : 0;

	if (!special && spec->event && !spec->value)
		return 0;
	return slow >= 0 && slow < 1e18 ? (uint64_t)slow : UINT64_MAX;
}

bool trace_queue_is_first(void)
{
	struct btf *btf;
	const struct btf_type *type = NULL;
	bool first = false;
	int id;

	if (!kernel_is_before(5, 11))
		return false;
	btf = btf__load_vmlinux_btf();
	if (!btf)
		return false;
	id = btf__find_by_name_kind(btf, "btf_trace_block_rq_issue", BTF_KIND_TYPEDEF);
	if (id > 0)
		type = btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type);
	if (type && btf_is_ptr(type))
		type = btf__type_by_id(btf, type->type);
	if (type && btf_is_func_proto(type))
		first = btf_vlen(type) == 3;
	btf__free(btf);
	return first;
}

/* Who must count nowhere: who traces and its parent, which waits for it. A tracer sees the numbers
 * of the first pid namespace: in another one it is not known which are ours. */
static void note_own(const struct trace_job *job, struct trace_params *params)
{
	struct stat namespace;

	if (!stat("/proc/self/ns/pid", &namespace) && namespace.st_ino != FIRST_PID_NAMESPACE)
		return;
	params->own[0] = (__u32)getpid();
	params->own[1] = job->alone ? 0 : (__u32)getppid();
}

/* The tracer, or what stands in for it on kernels that lack what it reads. */
static void load_special_or_instead(
	struct trace_job *job, const struct tracer *tracer, const struct tracer_setup *setup)
{
	const struct tracer *instead = tracer_instead(tracer);
	int err = load_either(tracer, setup, &job->loaded);

	if (err && err != -EPERM && instead) {
		tracer = instead;
		err = load_either(tracer, setup, &job->loaded);
	}
	if (err && (err == -EPERM || !trace_explain_since(&job->missing, tracer_since(tracer))))
		trace_explain_load(&job->missing, err);
	job->is_loaded = !err;
}

static void load_special(struct trace_job *job, const struct trace_machine *machine)
{
	const struct tracer *tracer = tracer_find(job->spec->tracer);
	struct tracer_setup setup = {.cpus = machine->cpus};

	if (!tracer) {
		str_addf(&job->missing, "this program has no tracer '%s'", job->spec->tracer);
		return;
	}
	if (access(BTF, F_OK) || trace_without("btf")) {
		str_add(&job->missing, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
		return;
	}
	setup.params.slow = slow_of(job->spec, true);
	note_own(job, &setup.params);
	setup.params.budget = (uint64_t)job->spec->budget;
	setup.params.queue_first = trace_queue_is_first();
	load_special_or_instead(job, tracer, &setup);
	if (!job->is_loaded)
		return;
	job->special = true;
	job->fallback = job->loaded.info.sees_less;
	job->declared.instances = (enum instance_kind)job->loaded.info.instances;
	str_addf(&job->method, "%.*s", (int)sizeof(job->loaded.info.method),
		job->loaded.info.method);
}

/* Reads and parses a format file. Returns 0, or -errno with a phrase in missing. */
static int read_format(struct trace_job *job, struct trace_machine *machine, const char *event,
	struct event_format *format)
{
	struct str text = STR_INIT;
	int err;

	if (machine->tracefs == -EAGAIN)
		machine->tracefs = trace_without("tracefs") ? -ENODEV : tracefs_open();
	err = machine->tracefs;
	if (err < 0) {
		str_addf(&job->missing,
			"tracefs cannot be read (%s): needs CAP_SYS_ADMIN, or "
			"CAP_DAC_READ_SEARCH and tracefs mounted on /sys/kernel/tracing",
			strerror(-err));
		return err;
	}
	err = tracefs_format(machine->tracefs, event, &text);
	if (!err)
		err = event_format_parse(format, str_text(&text), text.len);
	str_free(&text);
	if (err == -ENOENT && job->spec->since)
		str_addf(&job->missing, "this kernel has no tracepoint %s: it came with Linux %s",
			event, job->spec->since);
	else if (err == -ENOENT)
		str_addf(&job->missing, "this kernel has no tracepoint %s", event);
	else if (err)
		str_addf(&job->missing, "the format of tracepoint %s cannot be read: %s", event,
			strerror(-err));
	return err;
}

static void load_declared(struct trace_job *job, struct trace_machine *machine)
{
	const struct trace_spec *spec = job->spec;
	const struct tracer *tracer = tracer_find(job->logs ? "pair___log" : "pair");
	struct tracer_setup setup = {.cpus = machine->cpus};
	int err;

	if (!tracer) {
		str_add(&job->missing, "this program cannot trace");
		return;
	}
	if (read_format(job, machine, spec->event ? spec->event : spec->begin, &job->first))
		return;
	if (spec->end && read_format(job, machine, spec->end, &job->second))
		return;
	if (declared_compile(spec, &job->first, spec->end ? &job->second : NULL, &job->declared,
		    &job->missing))
		return;
	setup.params.slow = slow_of(spec, false);
	note_own(job, &setup.params);
	setup.params.budget = (uint64_t)spec->budget;
	/* Whom to ignore is known by name, and so only when all is over: until then everybody has a
	 * histogram of his own, or one with all who came too late for that. */
	job->by_who = !job->logs && spec->ignore && !spec->by && (spec->begin || spec->value);
	if (job->by_who)
		job->declared.pair.by = job->declared.pair.who;
	setup.params.pair = job->declared.pair;
	setup.params.others = job->by_who;
	setup.by = !job->logs && (spec->by || job->by_who);
	/* Only libbpf's own skeleton finds the ring of events. */
	if (!job->logs)
		err = load_either(tracer, &setup, &job->loaded);
	else
		err = trace_without("bpf") ? -EPERM : tracer->load_full(&setup, &job->loaded);
	if (err) {
		if (err == -EPERM || !trace_explain_since(&job->missing, tracer_since(tracer)))
			trace_explain_load(&job->missing, err);
		return;
	}
	job->is_loaded = true;
	if (spec->end)
		str_addf(&job->method, "tracepoints %s and %s", spec->begin, spec->end);
	else
		str_addf(&job->method, "tracepoint %s", spec->event);
	if (spec->where)
		str_addf(&job->method, " where %s", spec->where);
}

void trace_job_load(struct trace_job *job, struct trace_machine *machine)
{
	const struct trace_spec *spec = job->spec;
	uint64_t before = trace_cpu_ns();
	char *why = NULL;

	if (spec->tracer && !job->logs) {
		load_special(job, machine);
		if (job->missing.len)
			why = str_take(&job->missing);
	}
	if (!job->is_loaded && (spec->begin || spec->event)) {
		load_declared(job, machine);
		job->fallback = job->is_loaded && why;
		if (job->fallback)
			str_addf(&job->method, ", instead of %s: %s", spec->tracer, why);
	}
	/* The reason why the better way failed is the one that can be mended. */
	if (!job->is_loaded && why) {
		str_clear(&job->missing);
		str_add(&job->missing, why);
	}
	free(why);
	job->start_cpu_ns += trace_cpu_ns() - before;
}

void trace_job_unload(struct trace_job *job)
{
	trace_job_detach(job);
	if (job->is_loaded)
		job->loaded.unload(job->loaded.skeleton);
	job->is_loaded = false;
	event_format_free(&job->first);
	event_format_free(&job->second);
	str_free(&job->missing);
	str_free(&job->method);
}
