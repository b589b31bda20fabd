/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is one part of this machine slow by itself, with nothing of this system in front of it? And a
 * number for the metric of an experiment.
 */
#include "base/banned.h"

#include <errno.h>

#include "base/command.h"
#include "base/escape.h"
#include "run/options.h"
#include "tools/measure/internal.h"
#include "base/suggest.h"

#define SECONDS_USUAL 1
#define SECONDS_MIN 0.05
#define SECONDS_MAX 3600

extern const struct microbench *const __start_tuesday_microbenches[] __attribute__((weak));
extern const struct microbench *const __stop_tuesday_microbenches[] __attribute__((weak));

struct call {
	const char *program;
	double seconds;
	bool json, number;
};

static int cmd_measure(int argc, char **argv);
COMMAND(measure_command) = {
	.name = "measure",
	.args = "WHAT [ARG]",
	.what = "how fast are clock, disk, memory or loopback by themselves?",
	.run = cmd_measure,
	.works = COMMAND_ON_MACHINE,
};

static size_t count_benches(void)
{
	return (size_t)(__stop_tuesday_microbenches - __start_tuesday_microbenches);
}

static const struct microbench *find_bench(const char *name)
{
	size_t i;

	for (i = 0; i < count_benches(); i++)
		if (!strcmp(__start_tuesday_microbenches[i]->name, name))
			return __start_tuesday_microbenches[i];
	return NULL;
}

static void measure_describe(struct str *out)
{
	size_t i;

	str_add(out,
		"Measures one part of this machine for a second and changes nothing. WHAT is\n");
	for (i = 0; i < count_benches(); i++) {
		const struct microbench *bench = __start_tuesday_microbenches[i];
		char *left = mem_printf("%s %s", bench->name, bench->arg ? bench->arg : "");

		str_addf(out, "  %-14s %s\n", left, bench->what);
		free(left);
	}
	str_add(out,
		"It prints the median, and the p99 (for a speed the p1), each with its "
		"95 %\n"
		"interval, which holds if samples are independent.\n"
		"  tuesday measure read /dev/nvme0n1 --for 5s\n"
		"  tuesday run disk --invasive --metric 'tuesday measure read /dev/sda "
		"-1'");
}

static int measure_parse(struct call *call, struct options *options, int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "for", "TIME", "how long: 50ms to 1h (1s)",
			OPTION_SECONDS(struct call, seconds, SECONDS_MIN, SECONDS_MAX,
				"a time from 50ms to 1h")},
		{'1', "number", NULL, "print the median alone, in seconds or bytes per second",
			OPTION_FLAG(struct call, number)},
		{'o', "output", "FORMAT", "text or json",
			OPTION_CHOICE(struct call, json, option_json)},
	};
	struct str what = STR_INIT;
	struct usage usage = {
		.line = "tuesday measure WHAT [ARG]",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = call,
		.status = "0 measured, 3 not",
	};
	int err;

	measure_describe(&what);
	usage.what = str_text(&what);
	err = options_parse_usage(options, argc, argv, &usage);
	str_free(&what);
	if (!err && call->json && call->number) {
		fprintf(stderr, "%s: --number and -o json exclude each other\n", argv[0]);
		return -EINVAL;
	}
	return err;
}

static void complain_of_name(const char *program, const char *name)
{
	const char **names = mem_realloc_array(NULL, count_benches() + 1, sizeof(*names));
	struct str list = STR_INIT, shown = STR_INIT;
	const char *near;
	size_t i;

	for (i = 0; i < count_benches(); i++) {
		names[i] = __start_tuesday_microbenches[i]->name;
		str_addf(&list, "%s%s", i ? ", " : "", names[i]);
	}
	if (!name) {
		fprintf(stderr, "%s: name what to measure: one of %s; see --help\n", program,
			str_text(&list));
	} else {
		near = suggest(name, names, count_benches());
		escape_terminal_cut(&shown, name, 40);
		fprintf(stderr, "%s: cannot measure '%s'", program, str_text(&shown));
		fprintf(stderr, near ? "; did you mean '%s'?\n" : "; one of %s\n",
			near ? near : str_text(&list));
	}
	str_free(&list);
	str_free(&shown);
	free(names);
}

/* The microbenchmark that the operands name, or NULL after a message. */
static const struct microbench *measure_choose(const char *program, const struct options *options)
{
	const struct microbench *bench = NULL;
	size_t n = options->n_names;

	if (n)
		bench = find_bench(options->names[0]);
	if (!bench) {
		complain_of_name(program, n ? options->names[0] : NULL);
		return NULL;
	}
	if (bench->arg && *bench->arg != '[' && n < 2)
		fprintf(stderr, "%s %s: name %s: 'tuesday measure %s %s'\n", program, bench->name,
			bench->arg, bench->name, bench->arg);
	else if (n > (bench->arg ? 2u : 1u))
		fprintf(stderr, "%s %s: too many operands; see --help\n", program, bench->name);
	else
		return bench;
	return NULL;
}

static void print_failure(const struct call *call, const struct measured *measured)
{
	struct str text = STR_INIT;

	str_addf(&text, "%s %s: ", call->program, measured->bench->name);
	if (measured->arg) {
		escape_terminal(&text, measured->arg);
		str_add(&text, ": ");
	}
	fprintf(stderr, "%s%s\n", str_text(&text), str_text(&measured->why));
	str_free(&text);
}

static void measure_print_result(const struct call *call, const struct measured *measured)
{
	struct str text = STR_INIT;

	if (call->number)
		str_addf(&text, "%.9g\n", measured_quantile(measured, 0.5).value);
	else if (call->json)
		measured_as_json(&text, measured);
	else
		measured_as_text(&text, measured);
	fputs(str_text(&text), stdout);
	str_free(&text);
}

static int measure_one(const struct call *call, const struct options *options)
{
	const struct microbench *bench = measure_choose(call->program, options);
	struct measured measured;
	int err;

	if (!bench)
		return EXIT_MISUSE;
	err = measure_run(
		&measured, bench, options->n_names > 1 ? options->names[1] : NULL, call->seconds);
	if (err)
		print_failure(call, &measured);
	else
		measure_print_result(call, &measured);
	measured_free(&measured);
	return err ? 3 : 0;
}

static int cmd_measure(int argc, char **argv)
{
	struct call call = {.program = argv[0], .seconds = SECONDS_USUAL};
	struct options options;
	int err = measure_parse(&call, &options, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err)
		status = measure_one(&call, &options);
	options_free(&options);
	return status;
}
