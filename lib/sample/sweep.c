/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers did the checks ask for, and what were they, sample by sample? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "capture/capture.h"
#include "sample/source.h"
#include "base/str.h"
#include "capture/environment.h"
#include "sample/internal.h"
#include "sample/instances.h"
#include "base/culprit.h"

struct sweep *sweep_new(void)
{
	return mem_zalloc(sizeof(struct sweep));
}

static void row_free(const struct row *row)
{
	if (row->room)
		free(row->list);
}

void sweep_free(struct sweep *sweep)
{
	size_t i, k;

	if (!sweep)
		return;
	for (i = 0; i < sweep->n_used; i++) {
		struct used *used = &sweep->used[i];

		if (sweep->open && used->source->close)
			used->source->close(used->state);
		instances_free(used->instances);
		used_free_groups(used);
		free(used->missing);
		free(used->absent);
	}
	for (i = 0; i < sweep->n_rows; i++) {
		for (k = 0; k < sweep->n_references; k++)
			row_free(&sweep->rows[i][k]);
		free(sweep->rows[i]);
	}
	for (i = 0; i < sweep->n_references; i++) {
		row_free(&sweep->references[i].earlier);
		free(sweep->references[i].key);
		free(sweep->references[i].unread);
	}
	free(sweep->used);
	free(sweep->references);
	free(sweep->rows);
	free(sweep->times_ns);
	free(sweep->clocks);
	free(sweep);
}

static size_t use_source(struct sweep *sweep, const struct source *source)
{
	struct used *used;
	size_t i;

	for (i = 0; i < sweep->n_used; i++)
		if (sweep->used[i].source == source)
			return i;
	ARRAY_GROW(sweep->used, sweep->n_used, sweep->room_used);
	used = &sweep->used[sweep->n_used];
	memset(used, 0, sizeof(*used));
	used->source = source;
	used->instances = instances_new();
	for (i = 0; i < ARRAY_SIZE(used->slots); i++)
		used->slots[i] = -1;
	return sweep->n_used++;
}

int sweep_reference(struct sweep *sweep, const char *source, const char *key)
{
	bool is_path = *source == '/';
	const struct source *found = source_find(source);
	const char *text = is_path ? source : key, *field;
	struct reference *reference;
	unsigned int slot;
	size_t used, len;
	bool star;
	int i;

	if (!found)
		return -ENOENT;
	used = use_source(sweep, found);
	star = is_path ? strchr(text, '*') != NULL : str_starts(text, "*.");
	field = star && !is_path ? text + 2 : text;
	len = strlen(field);
	slot = reference_slot(field, len);
	for (i = sweep->used[used].slots[slot]; i >= 0; i = sweep->references[i].next)
		if (!strcmp(sweep->references[i].key, text))
			return i;
	ARRAY_GROW(sweep->references, sweep->n_references, sweep->room_references);
	reference = &sweep->references[sweep->n_references];
	memset(reference, 0, sizeof(*reference));
	reference->used = used;
	reference->key = mem_strdup(text);
	reference->star = star;
	reference->field = reference->key + (field - text);
	reference->field_len = len;
	sweep->used[used].any_exact |= !reference->star;
	reference->next = sweep->used[used].slots[slot];
	sweep->used[used].slots[slot] = (int)sweep->n_references;
	return (int)sweep->n_references++;
}

void sweep_open(struct sweep *sweep, struct capture *fs)
{
	size_t i;

	sweep->fs = fs;
	sweep->open = true;
	sweep->page_bytes = machine_page_bytes(fs);
	for (i = 0; i < sweep->n_used; i++) {
		struct used *used = &sweep->used[i];

		if (used->source->open)
			used->error = used->source->open(fs, &used->state);
	}
}

double sweep_page_bytes(const struct sweep *sweep)
{
	return sweep->open ? sweep->page_bytes : NAN;
}

/* Room for one more sample. Returns 0 or -errno. */
static int sweep_begin_sample(struct sweep *sweep)
{
	uint64_t now_ns;
	int err = sweep->have_beside ? -EINVAL : capture_next_sample(sweep->fs, &now_ns);

	if (err)
		return err;
	ARRAY_GROW(sweep->times_ns, sweep->n_samples, sweep->room_samples);
	sweep->times_ns[sweep->n_samples] = now_ns;
	ARRAY_GROW(sweep->clocks, sweep->n_clocks, sweep->room_clocks);
	sweep->clocks[sweep->n_clocks++] = machine_clocks_read(sweep->fs);
	ARRAY_GROW(sweep->rows, sweep->n_rows, sweep->room_rows);
	sweep->rows[sweep->n_rows++] =
		mem_zalloc((sweep->n_references + 1) * sizeof(**sweep->rows));
	return 0;
}

static int sweep_read(struct sweep *sweep, struct used *used)
{
	struct sink sink = {.sweep = sweep, .used = used};
	int err = used->source->read(sweep->fs, used->state, &sink);

	used_find_groups(sweep, used);
	return err;
}

int sweep_take(struct sweep *sweep)
{
	int err = sweep_begin_sample(sweep);
	size_t i;

	if (err)
		return err;
	sweep->n_samples++;
	for (i = 0; i < sweep->n_used; i++)
		sweep->used[i].error = sweep_read(sweep, &sweep->used[i]);
	return 0;
}

void sweep_want_beside(struct sweep *sweep, int reference)
{
	sweep->used[sweep->references[reference].used].wanted_beside = true;
}

int sweep_take_beside(struct sweep *sweep)
{
	int err = sweep_begin_sample(sweep);
	size_t i;

	if (err)
		return err;
	sweep->have_beside = true;
	for (i = 0; i < sweep->n_used; i++) {
		struct used *used = &sweep->used[i];
		size_t none = used->samples_none;

		if (used->wanted_beside)
			sweep_read(sweep, used);
		used->samples_none = none;
	}
	return 0;
}

void sweep_set_earlier(struct sweep *sweep, uint64_t time_ns)
{
	sweep->have_earlier = true;
	sweep->earlier_ns = time_ns;
}

bool sweep_has_earlier(const struct sweep *sweep)
{
	return sweep->have_earlier;
}

/* The instance must be there still: one that is gone has grown by nothing that is known. */
void sweep_put_earlier(struct sweep *sweep, const char *source, const char *key,
	const char *instance, double value)
{
	bool star = str_starts(key, "*.") || (*key == '/' && strchr(key, '*'));
	const char *field = str_starts(key, "*.") ? key + 2 : key;
	size_t u;

	for (u = 0; u < sweep->n_used; u++) {
		const struct used *used = &sweep->used[u];
		int r;

		if (strcmp(used->source->name, source) != 0)
			continue;
		for (r = used->slots[reference_slot(field, strlen(field))]; r >= 0;
			r = sweep->references[r].next) {
			struct reference *reference = &sweep->references[r];
			long i = star ? instances_find(used->instances, instance) : 0;

			if (!strcmp(reference->key, key) && i >= 0 && isfinite(value))
				row_store(&reference->earlier, (size_t)i, value);
		}
	}
}

bool sweep_none(const struct sweep *sweep, int r)
{
	const struct reference *reference = &sweep->references[r];
	const struct used *used = &sweep->used[reference->used];

	return reference->star && !used->missing && !used->error && sweep->n_samples &&
		used->samples_none == sweep->n_samples;
}

int sweep_list(const struct source *source, struct capture *fs, sweep_listed *listed, void *arg,
	char **missing)
{
	struct used used = {.source = source, .instances = instances_new()};
	struct sink sink = {.used = &used, .listed = listed, .arg = arg};
	int err;

	if (source->open)
		source->open(fs, &used.state);
	err = source->read(fs, used.state, &sink);
	if (source->close)
		source->close(used.state);
	instances_free(used.instances);
	*missing = used.missing;
	free(used.absent);
	return err;
}

bool sweep_never_seen(const struct sweep *sweep, int r)
{
	return !sweep->references[r].seen;
}

bool sweep_reference_name(const struct sweep *sweep, int r, const char **source, const char **key)
{
	if (r < 0 || (size_t)r >= sweep->n_references)
		return false;
	*source = sweep->used[sweep->references[r].used].source->name;
	*key = sweep->references[r].key;
	return true;
}

size_t sweep_samples(const struct sweep *sweep)
{
	return sweep->n_samples;
}

uint64_t sweep_time_ns(const struct sweep *sweep, size_t sample)
{
	if (sample == SWEEP_EARLIER)
		return sweep->earlier_ns;
	return sample < sweep->n_samples + sweep->have_beside ? sweep->times_ns[sample] : 0;
}

double sweep_seconds(const struct sweep *sweep, size_t from, size_t to)
{
	uint64_t start = sweep_time_ns(sweep, from), end = sweep_time_ns(sweep, to);

	if ((from >= to && from != SWEEP_EARLIER) || end <= start)
		return 0;
	return (double)(end - start) / 1e9;
}

bool sweep_stands(const struct sweep *sweep, size_t from, size_t to)
{
	if (from >= sweep->n_clocks || to >= sweep->n_clocks)
		return false;
	return machine_clocks_stand(
		&sweep->clocks[from], &sweep->clocks[to], sweep_seconds(sweep, from, to));
}

double sweep_value(const struct sweep *sweep, int r, size_t sample, size_t instance)
{
	const struct reference *reference = &sweep->references[r];
	const struct row *row;

	if (sample >= sweep->n_rows && sample != SWEEP_EARLIER)
		return NAN;
	row = sample == SWEEP_EARLIER ? &reference->earlier : &sweep->rows[sample][r];
	return instance < row->n ? row_values(row)[instance] : NAN;
}

bool sweep_is_fleeting(const struct sweep *sweep, int r)
{
	return sweep->used[sweep->references[r].used].source->fleeting;
}

const struct instances *sweep_instances(const struct sweep *sweep, int r)
{
	const struct reference *reference = &sweep->references[r];

	return reference->star ? sweep->used[reference->used].instances : NULL;
}

/* "/proc/meminfo has no 'Committed_AS' here", for that can be looked up; what only Tuesday has a
 * name for is said in the source's own words. */
static void sweep_say_no_field(
	struct str *out, const struct source *source, const struct reference *reference)
{
	const char *what = source->what ? source->what : source->name, *at;
	size_t len = strcspn(what, ":,;(");

	if (*what == '/' && what[len] == ':') {
		str_addf(out, "%.*s has no '%s' here", (int)len, what, reference->field);
		return;
	}
	str_add(out, "not known here: ");
	for (at = reference->field; *at; at++)
		str_addc(out, *at == '_' ? ' ' : *at);
	str_addf(out, " of %.*s", (int)(what[len] ? len : strlen(what)), what);
}

void sweep_why_missing(const struct sweep *sweep, int r, struct str *out)
{
	const struct reference *reference = &sweep->references[r];
	const struct used *used = &sweep->used[reference->used];

	if (reference->unread && !reference->seen)
		str_add(out, reference->unread);
	else if (used->missing && !reference->seen)
		str_add(out, used->missing);
	else if (used->absent && !reference->seen)
		str_add(out, used->absent);
	else if (used->error && !reference->seen)
		str_addf(out, "%s: %s", used->source->name, strerror(-used->error));
	else if (!reference->seen && *reference->key == '/')
		str_addf(out, "%s is not there", reference->key);
	else if (!reference->seen)
		sweep_say_no_field(out, used->source, reference);
	else
		str_addf(out, "%s:%s was not there throughout, or was reset", used->source->name,
			reference->key);
}

bool sweep_absent(const struct sweep *sweep, int r)
{
	const struct reference *reference = &sweep->references[r];
	const struct used *used = &sweep->used[reference->used];

	return !reference->seen && used->absent && !used->missing;
}

bool sweep_came_or_went(const struct sweep *sweep, int r)
{
	const struct reference *reference = &sweep->references[r];
	const struct used *used = &sweep->used[reference->used];
	size_t i, k;

	if (!reference->star || !reference->seen || used->missing || used->error)
		return false;
	for (i = 0; i < instances_count(used->instances); i++) {
		for (k = 0; k < sweep->n_rows && !isnan(sweep_value(sweep, r, k, i)); k++)
			;
		if (k == sweep->n_rows)
			return false;
	}
	return true;
}

bool sweep_not_here(const struct sweep *sweep, int r)
{
	const struct reference *reference = &sweep->references[r];
	const struct used *used = &sweep->used[reference->used];

	if (reference->seen || !sweep->n_samples)
		return false;
	if (*reference->key == '/')
		return !reference->is_there;
	if (used->error)
		return used->error == -ENOENT;
	return !used->missing && (reference->star || used->gave || used->absent);
}

bool sweep_instance_not_here(const struct sweep *sweep, int r, size_t instance)
{
	const struct reference *reference = &sweep->references[r];
	const struct used *used = &sweep->used[reference->used];
	size_t i;

	if (used->missing || reference->is_there || (used->error && used->error != -ENOENT))
		return false;
	for (i = 0; i < sweep->n_rows; i++)
		if (!isnan(sweep_value(sweep, r, i, instance)))
			return false;
	return sweep->n_samples > 0;
}

const char *sweep_partial(const struct sweep *sweep, int r)
{
	const struct reference *reference = &sweep->references[r];

	if (!reference->seen || !reference->star)
		return NULL;
	if (reference->in_part)
		return reference->unread;
	return sweep->used[reference->used].missing;
}

const char *sweep_class(const struct sweep *sweep, int r, const char *instance)
{
	const char *class = NULL;
	size_t i;

	for (i = 0; i < sweep->n_used && !class; i++) {
		const struct used *used = &sweep->used[i];

		if (used->source->class_of && (r < 0 || i == sweep->references[r].used))
			class = used->source->class_of(sweep->fs, used->state, instance);
	}
	return class;
}

bool sweep_culprit(const struct sweep *sweep, int r, const char *instance, struct culprit *out)
{
	const struct used *used = &sweep->used[sweep->references[r].used];

	if (!used->source->culprit)
		return false;
	memset(out, 0, sizeof(*out));
	if (!used->source->culprit(sweep->fs, used->state, instance, out))
		return false;
	out->share = -1;
	return true;
}
