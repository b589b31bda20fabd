/* SPDX-License-Identifier: GPL-2.0-only */
/* What does somebody see who asks for a heat map? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "base/progress.h"
#include "base/sparkline.h"
#include "base/str.h"
#include "heatmap/axis.h"
#include "heatmap/cells_file.h"
#include "heatmap/gaps.h"
#include "heatmap/heatmap.h"
#include "heatmap/input.h"
#include "heatmap/periods.h"
#include "heatmap/show.h"
#include "heatmap/who.h"
#include "sys/atomic_file.h"
#include "sys/opener.h"
#include "sys/sandbox.h"
#include "sys/write_only.h"
#include "tools/map/options.h"
#include "tools/map/picture.h"
#include "tools/map/samples.h"

#define PERIODS_SHOWN 5
#define GAPS_SHOWN 3
#define NAME_COLUMNS 60

struct map_data {
	const struct map_options *asked;
	struct heatmap map, before;
	bool has_before;
	struct heatmap_periods *periods;
	struct str folded;
	uint64_t unread;
};

static int map_complain(const struct map_options *asked, const char *path, const char *what)
{
	char *shown = escape_path(path);

	fprintf(stderr, "%s: %s: %s\n", asked->program, shown, what);
	free(shown);
	return -EINVAL;
}

static int map_say_why(const struct map_options *asked, const char *path, int err,
	const struct heatmap_input *input, const struct str *why)
{
	if (err == -EINTR)
		return map_complain(asked, path, "interrupted");
	if (why->len)
		return map_complain(asked, path, str_text(why));
	if (err == -ENODATA && input->idle)
		return map_complain(asked, path, "all its samples are from idle CPUs");
	if (err == -ENODATA && asked->latency)
		return map_complain(
			asked, path, "it has no events: expected lines like \"12.5 0.003\"");
	if (err == -ENODATA)
		return map_complain(asked, path,
			"it has no samples: expected the text of `perf script`, with times "
			"(--latency: lines of time and latency)");
	return map_complain(asked, path, strerror(-err));
}

static int map_read(struct map_data *data, const char *path, struct heatmap *map, bool is_before)
{
	const struct map_options *asked = data->asked;
	const bool is_stdin = !strcmp(path, "-");
	const uint64_t period = (uint64_t)(asked->period_seconds * 1e9 + 0.5);
	struct heatmap_input input = {
		.wants_latency = asked->latency,
		.period_ns = period,
		.column_ns = period,
		.rows = asked->rows,
		.time_unit_ns = asked->time_unit_ns,
		.latency_unit_ns = asked->latency_unit_ns,
		.folded = asked->format == MAP_FORMAT_FOLDED ? &data->folded : NULL,
		.has_range = asked->has_range,
		.range_from_ns = asked->from_ns,
		.range_to_ns = asked->to_ns,
		.doing = "reading",
		.periods = is_before || asked->latency ? NULL : data->periods,
	};
	int fd = is_stdin ? STDIN_FILENO : opener_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	struct str why = STR_INIT;
	int err = fd;

	if (fd >= 0)
		err = heatmap_input_read(&input, map, fd, &why);
	if (fd >= 0 && !is_stdin)
		close(fd);
	data->unread += input.unread;
	map->is_wall = map->is_wall || asked->wall;
	if (err)
		map_say_why(asked, path, err, &input, &why);
	str_free(&why);
	return err;
}

/* Further files are laid over the first. */
static int map_read_all(struct map_data *data)
{
	const struct map_options *asked = data->asked;
	struct str why = STR_INIT;
	int err = 0;

	if (!asked->is_live)
		err = map_read(data, asked->common.names[0], &data->map, false);
	for (size_t i = 1; i < asked->common.n_names && !err; i++) {
		struct heatmap more = {0};

		err = map_read(data, asked->common.names[i], &more, false);
		if (!err && heatmap_merge(&data->map, &more, &why))
			err = map_complain(asked, asked->common.names[i], str_text(&why));
		heatmap_free(&more);
	}
	if (!err && asked->compare) {
		data->has_before = true;
		err = map_read(data, asked->compare, &data->before, true);
		if (!err &&
			(data->before.kind != data->map.kind ||
				data->before.column_ns != data->map.column_ns ||
				data->before.rows != data->map.rows))
			err = map_complain(asked, asked->compare,
				"it is another kind of map, or has a different period or rows (see "
				"--period and --rows)");
	}
	str_free(&why);
	return err;
}

/* "5940 samples of 12 programs in 60 s, 99 a second of each CPU" */
static void map_add_sum(struct str *out, const struct heatmap *map)
{
	const bool is_latency = map->kind == HEATMAP_LATENCY;
	struct heatmap_who *who;
	const size_t n = heatmap_who_between(map, 0, UINT64_MAX, &who);
	size_t names = 0;

	for (size_t i = 0; i < n; i++)
		names += *who[i].name != 0;
	free(who);
	str_addf(out, "%llu %s", (unsigned long long)map->total, is_latency ? "events" : "samples");
	if (names)
		str_addf(out, " of %zu name%s", names, names == 1 ? "" : "s");
	str_add(out, " in ");
	heatmap_axis_time(out, map->seen_to_ns - map->seen_from_ns);
	if (map->tick_ns)
		str_addf(out, ", %.4g looks a second", 1e9 / (double)map->tick_ns);
	if (map->hosts > 1)
		str_addf(out, ", %u hosts", map->hosts);
}

static void map_add_quantiles(struct str *out, const struct heatmap *map)
{
	static const struct {
		double q;
		const char *what;
	} quantiles[] = {{0.5, "half of all took "}, {0.99, "99 % "}, {1, "all "}};

	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		str_addf(out, "%s%s", i ? ", " : "", quantiles[i].what);
		heatmap_axis_time(out, heatmap_latency_quantile(map, quantiles[i].q));
	}
	str_add(out, " at most");
}

/* Whose gaps are looked for: that the whole machine has nothing to do is no finding. */
static const char *map_watched(const struct map_options *asked)
{
	return asked->isolate ? asked->isolate : asked->marks[0];
}

/* The title: what was found, in a sentence. */
static void map_add_title(
	struct str *out, const struct map_data *data, const struct heatmap_gaps *gaps)
{
	const struct heatmap *map = &data->map;
	uint64_t first;

	if (data->asked->title) {
		escape_terminal(out, data->asked->title);
		return;
	}
	if (map->kind == HEATMAP_LATENCY) {
		map_add_quantiles(out, map);
		return;
	}
	if (!map_watched(data->asked) || !gaps->n || !map->tick_ns) {
		map_add_sum(out, map);
		return;
	}
	heatmap_columns(map, &first);
	escape_name_cut(out, map_watched(data->asked), NAME_COLUMNS);
	str_add(out, " was off the CPUs for ");
	heatmap_axis_time(out, gaps->gaps[0].to_ns - gaps->gaps[0].from_ns);
	str_addf(out, " from %.2f s on",
		(double)(gaps->gaps[0].from_ns - first * map->column_ns) * 1e-9);
}

static void map_add_gaps(
	struct str *out, const struct map_data *data, const struct heatmap_gaps *gaps)
{
	const char *watched = map_watched(data->asked);
	uint64_t first;

	heatmap_columns(&data->map, &first);
	if (!watched || !data->map.tick_ns || !(gaps->busy > 0))
		return;
	escape_name_cut(out, watched, NAME_COLUMNS);
	str_addf(out, " was seen in %.0f %% of the time: ", gaps->busy * 100);
	if (gaps->chance_ns > data->map.column_ns * 10) {
		str_add(out, "too little for a gap to mean anything\n");
		return;
	}
	str_add(out, "a gap of ");
	heatmap_axis_time(out, gaps->chance_ns);
	str_addf(out, " or more is not chance%s",
		gaps->n ? "\nThe longest gaps: " : ", and there is none");
	for (size_t i = 0; i < gaps->n && i < GAPS_SHOWN; i++) {
		str_add(out, i ? ", " : "");
		heatmap_axis_time(out, gaps->gaps[i].to_ns - gaps->gaps[i].from_ns);
		str_addf(out, " at %.2f s",
			(double)(gaps->gaps[i].from_ns - first * data->map.column_ns) * 1e-9);
	}
	str_addc(out, '\n');
}

static size_t map_periods(const struct map_data *data, struct heatmap_period *found)
{
	struct heatmap_periods_limits limits;

	heatmap_periods_limits_default(&limits);
	return heatmap_periods_find(
		data->periods, data->map.tick_ns, &limits, found, PERIODS_SHOWN);
}

/* A sampler that looks in step with what it looks at sees it always or never. */
static void map_add_step(struct str *out, const struct heatmap *map)
{
	const double hertz = map->tick_ns ? 1e9 / (double)map->tick_ns : 0;

	if (map->kind == HEATMAP_OFFSET && hertz >= 9.99 && fabs(hertz - round(hertz)) < 0.001 &&
		(long)round(hertz) % 10 == 0)
		str_addf(out,
			"%.0f samples a second are in step with what runs every 10 ms or 100 ms, "
			"which is then seen always or never: sample 99 times a second instead\n",
			hertz);
}

static void map_add_notes(struct str *out, const struct map_data *data)
{
	if (data->unread)
		str_addf(out, "%llu line%s could not be read\n", (unsigned long long)data->unread,
			data->unread == 1 ? "" : "s");
}

static void map_add_words(
	struct str *out, const struct map_data *data, const struct heatmap_gaps *gaps)
{
	struct heatmap_period found[PERIODS_SHOWN];
	const size_t n = map_periods(data, found);

	if (data->map.kind == HEATMAP_OFFSET)
		map_add_gaps(out, data, gaps);
	for (size_t i = 0; i < n; i++) {
		heatmap_period_words(out, &found[i]);
		str_addc(out, '\n');
	}
	map_add_step(out, &data->map);
	if (data->asked->has_at)
		heatmap_show_at(out, &data->map, data->asked->at_ns);
	map_add_notes(out, data);
}

static struct heatmap_show map_show(
	const struct map_data *data, const char *title, const char *note)
{
	const struct map_options *asked = data->asked;

	return (struct heatmap_show){
		.map = &data->map,
		.before = data->has_before ? &data->before : NULL,
		.isolate = asked->isolate,
		.marks = {asked->marks[0], asked->marks[1]},
		.linear = asked->linear,
		.has_range = asked->has_range,
		.from_ns = asked->from_ns,
		.to_ns = asked->to_ns,
		.look = {.title = title,
			.note = note,
			.unit = data->map.kind == HEATMAP_LATENCY ? "events" : "samples",
			.colors = asked->to
				? 0
				: terminal_colors((enum color_when)asked->color, STDOUT_FILENO),
			.utf8 = spark_utf8()},
		.columns = terminal_columns(),
	};
}

static int map_write(const struct map_options *asked, const char *path, const struct str *text)
{
	struct str why = STR_INIT;
	int err = 0;

	if (!path || !strcmp(path, "-"))
		fwrite(str_text(text), 1, text->len, stdout);
	else
		err = write_file_atomically(path, FILE_BY_UMASK, str_text(text), text->len, &why);
	if (err)
		map_complain(asked, path, str_text(&why));
	str_free(&why);
	return err;
}

static void map_add_json(struct str *out, const struct map_data *data,
	const struct heatmap_show *show, const struct heatmap_gaps *gaps)
{
	struct heatmap_period found[PERIODS_SHOWN];
	const size_t n = map_periods(data, found);
	struct json_writer json;

	json_start(&json, out);
	json_write_string(&json, "kind", data->map.kind == HEATMAP_LATENCY ? "latency" : "offset");
	json_write_string(&json, "title", show->look.title);
	json_write_count(&json, "events_count", data->map.total);
	json_write_count(&json, "lost_count", data->map.lost);
	json_write_count(&json, "hosts_count", data->map.hosts);
	json_open(&json, "gaps", '[');
	for (size_t i = 0; data->map.tick_ns && i < gaps->n; i++) {
		json_open(&json, NULL, '{');
		json_write_number(&json, "from_seconds", (double)gaps->gaps[i].from_ns * 1e-9);
		json_write_number(&json, "to_seconds", (double)gaps->gaps[i].to_ns * 1e-9);
		json_close(&json);
	}
	json_close(&json);
	json_open(&json, "periods", '[');
	for (size_t i = 0; i < n; i++) {
		json_open(&json, NULL, '{');
		json_write_string(&json, "name", found[i].name);
		json_write_count(&json, "tid", found[i].tid);
		json_write_number(&json, "period_seconds", found[i].seconds);
		json_write_number(&json, "error_seconds", found[i].error_seconds);
		json_close(&json);
	}
	json_close(&json);
	heatmap_show_json(&json, show);
	json_finish(&json);
}

/* The sentence, the picture, and what is to be known of it. */
static int map_text(struct str *out, const struct heatmap_show *show, const struct str *words)
{
	int err;

	str_addf(out, "%s\n", show->look.title);
	if (*show->look.note)
		str_addf(out, "%s\n", show->look.note);
	err = heatmap_show_terminal(out, show);
	if (err)
		str_add(out, "nothing lies in that range\n");
	heatmap_show_unmatched(out, show);
	str_add(out, str_text(words));
	return err;
}

static int map_answer(const struct map_data *data)
{
	const struct map_options *asked = data->asked;
	struct str title = STR_INIT, note = STR_INIT, words = STR_INIT, out = STR_INIT;
	struct heatmap_gaps gaps;
	struct heatmap_show show;
	int err = 0;

	heatmap_gaps_find(&gaps, &data->map, map_watched(asked));
	map_add_title(&title, data, &gaps);
	if (asked->title || data->map.kind == HEATMAP_LATENCY || (map_watched(asked) && gaps.n))
		map_add_sum(&note, &data->map);
	heatmap_show_notes(&note, &data->map);
	map_add_words(&words, data, &gaps);
	show = map_show(data, str_text(&title), str_text(&note));
	if (asked->cells) {
		cells_file_write(&out, &data->map);
		err = map_write(asked, asked->cells, &out);
		str_clear(&out);
	}
	if (asked->svg && !err) {
		err = heatmap_show_svg(&out, &show);
		if (err)
			fprintf(stderr, "%s: nothing lies in that range\n", asked->program);
		else
			err = map_write(asked, asked->svg, &out);
		str_clear(&out);
	}
	if (!err && asked->format == MAP_FORMAT_JSON)
		map_add_json(&out, data, &show, &gaps);
	else if (!err)
		err = map_text(&out, &show, &words);
	/* A picture on standard output stands there alone. */
	if (asked->svg && !strcmp(asked->svg, "-") && !asked->to)
		fputs(str_text(&out), stderr);
	else if (map_write(asked, asked->to, &out))
		err = -EIO;
	heatmap_gaps_free(&gaps);
	str_free(&title);
	str_free(&note);
	str_free(&words);
	str_free(&out);
	return err;
}

/* What others wrote is read without any right, and nothing is written but what is asked for. */
static int map_confine(const struct map_options *asked)
{
	const char *const written[] = {asked->to, asked->svg, asked->cells};
	const int err = sandbox_enter(asked->is_live ? 0 : SANDBOX_READS);

	if (err)
		fprintf(stderr, "%s: cannot give up capabilities: %s\n", asked->program,
			strerror(-err));
	else
		write_only(written, ARRAY_SIZE(written));
	return err;
}

int map_picture(const struct map_options *asked)
{
	struct map_data data = {.asked = asked, .periods = heatmap_periods_new()};
	int err = asked->is_live ? map_samples(&data.map, data.periods, asked) : 0;

	if (!err)
		err = map_confine(asked);
	if (!err)
		err = map_read_all(&data);

	if (!err && asked->format == MAP_FORMAT_FOLDED) {
		err = map_write(asked, asked->to, &data.folded);
	} else if (!err) {
		err = map_answer(&data);
	}
	heatmap_periods_free(data.periods);
	heatmap_free(&data.map);
	heatmap_free(&data.before);
	str_free(&data.folded);
	return err ? 3 : 0;
}
