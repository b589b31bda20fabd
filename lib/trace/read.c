/* SPDX-License-Identifier: GPL-2.0-only */
/* What has a trace counted, and whom has it charged? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number_map.h"
#include "base/str.h"
#include "sys/cgroup_id.h"
#include "trace/histogram.h"
#include "capture/netns.h"
#include "capture/sockdiag.h"
#include "sample/source.h"
#include "trace/codec.h"
#include "trace/job.h"
#include "base/culprit.h"
#include "trace/read.h"
#include "trace/spec.h"
#include "trace/value_text.h"

/* "unix:" and a path of 107 bytes. */
#define SOCK_ADDRESS_MAX 128
#define UNIX_BIT 0x10000 /* INSTANCE_PORT */
#define ROWS_MAX (TRACE_INSTANCES * TRACE_INSTANCE_CPUS)

/* All rows of one instance. */
struct merged {
	__u8 id[TRACE_NAME];
	struct hist hist;
};

struct merging {
	struct merged *list;
	size_t n, room;
};

static __u64 trace_id_number(const __u8 id[TRACE_NAME])
{
	__u64 number;

	memcpy(&number, id, sizeof(number));
	return number;
}

static struct merged *merged_of(struct merging *merging, const __u8 id[TRACE_NAME])
{
	struct merged *merged;
	size_t i;

	for (i = 0; i < merging->n; i++)
		if (!memcmp(merging->list[i].id, id, TRACE_NAME))
			return &merging->list[i];
	ARRAY_GROW(merging->list, merging->n, merging->room);
	merged = &merging->list[merging->n++];
	memset(merged, 0, sizeof(*merged));
	memcpy(merged->id, id, TRACE_NAME);
	return merged;
}

static void merge_rows(const struct trace_job *job, struct merging *merging, struct hist *hist)
{
	struct row key, next, *last = NULL;
	size_t n;

	for (n = 0; n < ROWS_MAX && !bpf_map_get_next_key(job->loaded.rows, last, &next); n++) {
		key = next;
		last = &key;
		if (!bpf_map_lookup_elem(job->loaded.rows, &key, hist))
			hist_merge(&merged_of(merging, key.id)->hist, hist);
	}
}

/* Adds what was counted without an instance. */
static void add_hists(const struct trace_job *job, struct hist *sum, struct hist *hist)
{
	__u32 cpu;

	for (cpu = 0; cpu < job->loaded.row_cpus; cpu++)
		if (!bpf_map_lookup_elem(job->loaded.hists, &cpu, hist))
			hist_merge(sum, hist);
}

static int by_id(const void *a, const void *b)
{
	__u64 x = trace_id_number(((const struct merged *)a)->id),
	      y = trace_id_number(((const struct merged *)b)->id);

	return x < y ? -1 : x > y;
}

static void trace_write_device(struct str *out, __u64 device)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 ":%" PRIu64, (uint64_t)(device >> 20),
		(uint64_t)(device & 0xfffff));
	trace_blob_text(out, text);
}

/* While a result is written: names that cost a look at the whole machine, which is made once. */
static struct trace_names {
	struct cgroup_names *cgroups;
	bool has_unix;
	struct number_map unix_places; /* of listeners, by inode */
	char **unix_addresses;
	size_t n_unix, room_unix;
} trace_names;

static void trace_names_begin(void)
{
	trace_names = (struct trace_names){.cgroups = cgroup_names_new()};
}

static void trace_names_end(void)
{
	while (trace_names.n_unix)
		free(trace_names.unix_addresses[--trace_names.n_unix]);
	free(trace_names.unix_addresses);
	number_map_free(&trace_names.unix_places);
	cgroup_names_free(trace_names.cgroups);
}

static void trace_names_add_unix(void *arg, const struct sock_listener *listener)
{
	struct trace_names *names = arg;

	if (!number_map_add(&names->unix_places, listener->inode, names->n_unix))
		return;
	ARRAY_GROW(names->unix_addresses, names->n_unix, names->room_unix);
	names->unix_addresses[names->n_unix++] = mem_strdup(listener->address);
}

/* "unix:PATH" as source "listen/unix" calls it; by its inode where it is in another namespace, or
 * gone. */
static void unix_text(uint32_t inode, char *text, size_t size)
{
	int fd = trace_names.has_unix ? -1 : sockdiag_open();
	size_t i;

	if (fd >= 0) {
		sockdiag_listeners(fd, SOCKDIAG_UNIX, trace_names_add_unix, &trace_names);
		close(fd);
	}
	trace_names.has_unix = true;
	if (number_map_get(&trace_names.unix_places, inode, &i))
		snprintf(text, size, "%s", trace_names.unix_addresses[i]);
	else
		snprintf(text, size, "unix:[%u]", inode);
}

/* As source "unread" calls a server: by its port, and by its namespace where that is not ours. */
static void port_text(__u64 number, char *text, size_t size)
{
	struct stat ours;
	__u64 netns = number >> 32;
	unsigned int port = number & 0xffff;

	if (number & UNIX_BIT) {
		unix_text((uint32_t)netns, text, size);
		return;
	}
	if (stat("/proc/self/ns/net", &ours) || ours.st_ino == netns)
		snprintf(text, size, ":%u", port);
	else
		snprintf(text, size, "netns:%" PRIu64 " :%u", (uint64_t)netns, port);
}

/* "10.0.0.7:80", "[::1]:80", "blue 10.0.0.7:80": as source "ports" calls it. */
static void destination_text(const struct trace_job *job, __u64 number, char *text, size_t size)
{
	struct trace_destination destination;
	char address[INET6_ADDRSTRLEN], netns[64];

	*text = 0;
	if (bpf_map_lookup_elem(job->loaded.destinations, &number, &destination))
		return;
	if (!destination.port) {
		snprintf(text, size, "other destinations");
		return;
	}
	trace_address_text(destination.address, address, sizeof(address));
	netns_name(destination.netns, netns, sizeof(netns));
	snprintf(text, size, strchr(address, ':') ? "%s%s[%s]:%u" : "%s%s%s:%u", netns,
		*netns ? " " : "", address, destination.port);
}

/* "memcached (pid 12)", or the pid alone of one that is not among the victims. */
static void process_text(const struct trace_job *job, __u64 number, char *text, size_t size)
{
	const __u32 folded = instance_fold(number, 0);
	struct who key, next, *last = NULL;
	size_t n;

	snprintf(text, size, "pid %" PRIu64, (uint64_t)number);
	for (n = 0; n < TRACE_CULPRITS && !bpf_map_get_next_key(job->loaded.top, last, &next);
		n++) {
		key = next;
		last = &key;
		if (key.kind == WHO_VICTIM && key.instance == folded)
			snprintf(text, size, "%.*s (pid %" PRIu64 ")", TRACE_NAME,
				(const char *)key.name, (uint64_t)number);
	}
}

static void write_instance_name(
	const struct trace_job *job, const __u8 id[TRACE_NAME], struct str *out)
{
	char text[SOCK_ADDRESS_MAX] = "";
	const char *kind = "text";

	switch (job->declared.instances) {
	case INSTANCE_NONE:
		kind = "one";
		break;
	case INSTANCE_DEVICE:
		str_add(out, "instance device");
		trace_write_device(out, trace_id_number(id));
		return;
	case INSTANCE_CPU:
		snprintf(text, sizeof(text), "cpu%" PRIu64, (uint64_t)trace_id_number(id));
		break;
	case INSTANCE_NUMBER:
		trace_number_text(job->declared.by_format, job->spec->by,
			job->declared.pair.by.is_signed, trace_id_number(id), text, sizeof(text));
		break;
	case INSTANCE_TEXT:
		snprintf(text, sizeof(text), "%.*s", TRACE_NAME, (const char *)id);
		break;
	case INSTANCE_PORT:
		port_text(trace_id_number(id), text, sizeof(text));
		break;
	case INSTANCE_DESTINATION:
		destination_text(job, trace_id_number(id), text, sizeof(text));
		break;
	case INSTANCE_PROCESS:
		process_text(job, trace_id_number(id), text, sizeof(text));
		break;
	case INSTANCE_ADDRESS:
		trace_address_text(id, text, sizeof(text));
	}
	str_addf(out, "instance %s", kind);
	trace_blob_text(out, text);
}

static void write_slots(const struct hist *hist, struct str *out)
{
	size_t i;

	for (i = 0; i < HIST_SLOTS; i++)
		if (hist->slots[i])
			str_addf(out, " %zu:%" PRIu64, i, (uint64_t)hist->slots[i]);
	str_addc(out, '\n');
}

static void write_instance(
	const struct trace_job *job, const struct merged *merged, struct str *out)
{
	const struct hist *hist = &merged->hist;

	write_instance_name(job, merged->id, out);
	str_addf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, (uint64_t)hist->count,
		(uint64_t)hist->total, (uint64_t)hist->max);
	write_slots(hist, out);
}

/* The rows of everybody in one, as if they had never been told apart. */
static void write_whole(const struct trace_job *job, const struct merging *merging, struct str *out)
{
	struct merged *whole = mem_zalloc(sizeof(*whole));
	struct hist *others = mem_zalloc(sizeof(*others));
	size_t i;

	add_hists(job, &whole->hist, others);
	free(others);
	for (i = 0; i < merging->n; i++)
		hist_merge(&whole->hist, &merging->list[i].hist);
	write_instance(job, whole, out);
	free(whole);
}

/* What kind of thing is to blame, for people: as the check file says, or as it looks. */
static const char *who_kind_text(const struct trace_job *job, const struct who *who)
{
	if (who->kind == WHO_VICTIM)
		return "victim";
	if (!job->special && job->spec->who_kind)
		return job->spec->who_kind;
	switch (who->kind) {
	case WHO_COMM:
		return "process";
	case WHO_ADDRESS:
		return "remote";
	case WHO_CGROUP:
		return "cgroup";
	case WHO_TEXT:
		return job->declared.who_is_process ? "process" : "reason";
	default:
		return job->declared.who_is_device ? "device" : "reason";
	}
}

static void write_who_name(const struct trace_job *job, const struct who *who, struct str *out)
{
	char text[sizeof(((struct culprit *)0)->name)] = "";

	if (who->kind == WHO_NUMBER && job->declared.who_is_device) {
		str_add(out, " device");
		trace_write_device(out, trace_id_number(who->name));
		return;
	}
	if (who->kind == WHO_ADDRESS)
		trace_address_text(who->name, text, sizeof(text));
	else if (who->kind == WHO_CGROUP)
		cgroup_name(trace_names.cgroups, trace_id_number(who->name), text, sizeof(text));
	else if (who->kind == WHO_NUMBER)
		trace_number_text(job->declared.who_format, job->spec->who,
			job->declared.pair.who.is_signed, trace_id_number(who->name), text,
			sizeof(text));
	else
		snprintf(text, sizeof(text), "%.*s", TRACE_NAME, (const char *)who->name);
	str_add(out, " text");
	trace_blob_text(out, text);
}

/* The number of the instance that somebody was charged for. Returns false where it has no row. */
static bool who_instance_of(const struct merging *merging, const struct who *who, size_t *out)
{
	__u64 id[2];
	size_t i;

	if (!who->instance) {
		*out = 0;
		return true;
	}
	for (i = 0; i < merging->n; i++) {
		memcpy(id, merging->list[i].id, sizeof(id));
		if (instance_fold(id[0], id[1]) == who->instance) {
			*out = i;
			return true;
		}
	}
	return false;
}

static void write_who(const struct trace_job *job, const struct merging *merging,
	const struct who *who, const struct who_sum *sum, struct str *out)
{
	char id[32] = "";
	size_t instance = 0;
	bool has_row = who_instance_of(merging, who, &instance);

	if (!has_row && !job->by_who)
		return;
	if (sum->pid)
		snprintf(id, sizeof(id), "%u", sum->pid);
	str_addf(out, "who %zu %s", job->by_who ? 0 : instance,
		who->kind == WHO_VICTIM ? "victim" : "blamed");
	trace_blob_text(out, who_kind_text(job, who));
	write_who_name(job, who, out);
	trace_blob_text(out, id);
	str_addf(out, " %" PRIu64 " %" PRIu64, (uint64_t)sum->count, (uint64_t)sum->total);
	/* Who has none is among the others, nobody knows where. */
	if (job->by_who && has_row && merging->list[instance].hist.count >= sum->count)
		write_slots(&merging->list[instance].hist, out);
	else
		str_addc(out, '\n');
}

static void trace_write_culprits(
	const struct trace_job *job, const struct merging *merging, struct str *out)
{
	struct who key, next, *last = NULL;
	struct who_sum sum;
	size_t n;

	for (n = 0; n < TRACE_CULPRITS && !bpf_map_get_next_key(job->loaded.top, last, &next);
		n++) {
		key = next;
		last = &key;
		if (!bpf_map_lookup_elem(job->loaded.top, &key, &sum))
			write_who(job, merging, &key, &sum, out);
	}
}

static const char *trace_unit_text(const struct trace_job *job)
{
	if (job->special || !job->spec->event)
		return "ns";
	return job->spec->value ? "value" : "none";
}

/* The programs' own time was measured for a part of the window: the rest is taken to be like it. */
static void trace_write_cost(const struct trace_job *job, uint64_t ran_ns, struct str *out)
{
	double scale = job->measured && job->measured_ns && ran_ns > job->measured_ns
		? (double)ran_ns / (double)job->measured_ns
		: 1;

	str_addf(out, "cost %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", job->measured,
		(uint64_t)((double)job->run_ns * scale), (uint64_t)((double)job->run_count * scale),
		job->start_cpu_ns);
}

static void trace_write_facts(const struct trace_job *job, uint64_t background, struct str *out)
{
	const struct trace_lost *lost = job->loaded.lost;
	uint64_t ran_ns = job->ended_ns - job->began_ns;

	str_add(out, "method");
	trace_blob_text(out, str_text(&job->method));
	if (job->fallback)
		str_add(out, "\nfallback");
	str_addf(out, "\nunit %s\nran %" PRIu64 "\nasked %" PRIu64 "\n", trace_unit_text(job),
		ran_ns, job->asked_ns);
	if (job->away_ns)
		str_addf(out, "away %" PRIu64 " %.0f\n", job->away_ns, job->spec->budget);
	str_addf(out, "lost %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		(uint64_t)lost->starts, (uint64_t)lost->instances, (uint64_t)lost->culprits,
		job->misses);
	str_addf(out, "left-out %" PRIu64 " %" PRIu64 "\n", background, (uint64_t)lost->throttled);
	trace_write_cost(job, ran_ns, out);
}

static void trace_write_head(const struct trace_job *job, const char *field, struct str *out)
{
	char *name = mem_printf("%s%s%s", job->spec->name, *field ? "." : "", field);

	str_add(out, "trace");
	trace_blob_text(out, job->spec->check);
	trace_blob_text(out, name);
	str_addc(out, '\n');
	free(name);
}

/* The rows of one field, those of instances that it has nothing of too: that is 0, not unknown. */
static void pick_field(const struct merging *all, __u64 field, struct merging *out)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct merged *row = &all->list[i];
		__u8 id[TRACE_NAME] = {0};
		struct merged *picked;
		__u64 number;

		memcpy(id, row->id, sizeof(__u64));
		memcpy(&number, row->id + sizeof(__u64), sizeof(number));
		picked = merged_of(out, id);
		if (number == field)
			picked->hist = row->hist;
	}
}

/* A trace of its own for each thing that the tracer measures. Its cost is said once, with that of
 * the whole. */
static void write_fields(const struct trace_job *job, const struct merging *all, struct str *out)
{
	char names[sizeof(job->loaded.info.fields)], *rest = names, *name;
	struct merging one;
	__u64 field = 0;
	size_t i;

	snprintf(names, sizeof(names), "%s", job->loaded.info.fields);
	while ((name = strsep(&rest, " "))) {
		one = (struct merging){0};
		pick_field(all, field++, &one);
		trace_write_head(job, name + (*name == '#'), out);
		str_add(out, "method");
		trace_blob_text(out, str_text(&job->method));
		str_addf(out, "\nunit %s\nran %" PRIu64 "\napart\n", *name == '#' ? "value" : "ns",
			job->ended_ns - job->began_ns);
		for (i = 0; i < one.n; i++)
			write_instance(job, &one.list[i], out);
		trace_write_culprits(job, &one, out);
		free(one.list);
	}
}

/* A trace of its own for the CPUs apart. Beyond TRACE_CPUS they share rows. */
static void write_cpus(const struct trace_job *job, struct str *out)
{
	struct hist *hist = mem_zalloc(sizeof(*hist));
	__u32 cpu;

	trace_write_head(job, "cpu", out);
	str_add(out, "method");
	trace_blob_text(out, str_text(&job->method));
	str_addf(out, "\nunit ns\nran %" PRIu64 "\napart\n", job->ended_ns - job->began_ns);
	for (cpu = 0; cpu < job->loaded.row_cpus; cpu++) {
		if (bpf_map_lookup_elem(job->loaded.hists, &cpu, hist) || !hist->count)
			continue;
		str_addf(out, "instance text =cpu%u %" PRIu64 " %" PRIu64 " %" PRIu64, cpu,
			(uint64_t)hist->count, (uint64_t)hist->total, (uint64_t)hist->max);
		write_slots(hist, out);
	}
	free(hist);
}

static uint64_t sum_skipped(const struct merging *merging)
{
	uint64_t background = 0;
	size_t i;

	for (i = 0; i < merging->n; i++)
		background += merging->list[i].hist.skipped;
	return background;
}

static void write_result(
	const struct trace_job *job, const struct merging *merging, struct str *out)
{
	size_t i;

	trace_write_facts(job, sum_skipped(merging), out);
	if (*job->loaded.info.fields) {
		write_fields(job, merging, out);
		return;
	}
	if (job->declared.instances != INSTANCE_NONE)
		str_add(out, "apart\n");
	if (job->by_who)
		write_whole(job, merging, out);
	for (i = 0; !job->by_who && i < merging->n; i++)
		write_instance(job, &merging->list[i], out);
	trace_write_culprits(job, merging, out);
}

void trace_job_write(const struct trace_job *job, struct str *out)
{
	static const __u8 none[TRACE_NAME];
	struct merging merging = {0};
	struct hist *row;

	trace_write_head(job, "", out);
	if (!job->is_loaded) {
		str_add(out, "missing");
		trace_blob_text(out, str_text(&job->missing));
		str_addc(out, '\n');
		return;
	}
	row = mem_zalloc(sizeof(*row));
	if (job->declared.instances == INSTANCE_NONE && !job->by_who)
		add_hists(job, &merged_of(&merging, none)->hist, row);
	else
		merge_rows(job, &merging, row);
	free(row);
	if (merging.n)
		qsort(merging.list, merging.n, sizeof(*merging.list), by_id);
	trace_names_begin();
	write_result(job, &merging, out);
	trace_names_end();
	if (job->loaded.info.cpus_apart && job->loaded.row_cpus < TRACE_CPUS)
		write_cpus(job, out);
	free(merging.list);
}
