/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages of docs/, read from within the program: one file copied to a machine in a crisis brings
 * its explanations with it.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdint.h>
#include <zlib.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/suggest.h"
#include "run/asked.h"
#include "run/options.h"

/* As embed/page.S writes them. */
struct help_page {
	const char *name;
	const unsigned char *gzip, *end;
};

extern const struct help_page __start_tuesday_pages[] __attribute__((weak));
extern const struct help_page __stop_tuesday_pages[] __attribute__((weak));
extern const struct command *const __start_tuesday_commands[] __attribute__((weak));
extern const struct command *const __stop_tuesday_commands[] __attribute__((weak));

static int cmd_help(int argc, char **argv);
COMMAND(help_command) = {
	.name = "help",
	.args = "[TOPIC|COMMAND|CHECK]",
	.what = "read the documentation inside this program",
	.group = COMMAND_HELPS,
	.paged = true,
	.run = cmd_help,
};

static size_t help_pages(void)
{
	return (size_t)(__stop_tuesday_pages - __start_tuesday_pages);
}

/* The text of a page. Returns 0 or -EIO: the program's file is damaged. */
static int help_unpack(const struct help_page *page, struct str *text)
{
	enum { GZIP = 16 };
	unsigned char buf[16384];
	z_stream stream = {0};
	int err;

	if (inflateInit2(&stream, MAX_WBITS + GZIP) != Z_OK)
		return -EIO;
	/* zlib takes what it reads as const only where it is built so. */
	stream.next_in = (unsigned char *)(uintptr_t)page->gzip;
	stream.avail_in = (unsigned int)(page->end - page->gzip);
	do {
		stream.next_out = buf;
		stream.avail_out = sizeof(buf);
		err = inflate(&stream, Z_NO_FLUSH);
		str_addn(text, (char *)buf, sizeof(buf) - stream.avail_out);
	} while (err == Z_OK);
	inflateEnd(&stream);
	return err == Z_STREAM_END ? 0 : -EIO;
}

/* All topics, each with the title of its page: the first line, behind "# ". */
static int help_list(struct str *out)
{
	const struct help_page *page;

	str_add(out,
		"'tuesday help TOPIC' prints a page, 'tuesday help COMMAND' the options of a "
		"command;\n'tuesday explain CHECK' says what a check looks at.\n\n");
	for (page = __start_tuesday_pages; page < __stop_tuesday_pages; page++) {
		struct str text = STR_INIT;
		int err = help_unpack(page, &text);
		const char *title = str_text(&text);

		title += strspn(title, "# ");
		str_addf(out, "  %-18s %.*s\n", page->name, (int)strcspn(title, "\n"), title);
		str_free(&text);
		if (err)
			return err;
	}
	return 0;
}

static const struct help_page *help_find(const char *topic)
{
	size_t i;

	for (i = 0; i < help_pages(); i++)
		if (!strcmp(__start_tuesday_pages[i].name, topic))
			return &__start_tuesday_pages[i];
	return NULL;
}

static const struct command *help_find_command(const char *name)
{
	const struct command *const *at;

	for (at = __start_tuesday_commands; at < __stop_tuesday_commands; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}

static int help_of_command(const struct command *command)
{
	char option[] = "--help";
	char *name = mem_printf("tuesday %s", command->name);
	char *argv[] = {name, option, NULL};
	int status = command->run(2, argv);

	free(name);
	return status;
}

static int help_unknown(const char *program, const char *topic)
{
	const char **names = mem_realloc_array(NULL, help_pages() + 1, sizeof(*names));
	char *shown = escape_word(topic), *check = asked_suggest(topic);
	const char *near;
	size_t i;

	for (i = 0; i < help_pages(); i++)
		names[i] = __start_tuesday_pages[i].name;
	near = suggest(topic, names, help_pages());
	near = near ? near : check;
	fprintf(stderr, "%s: there is no page, command or check '%s'", program, shown);
	if (near)
		fprintf(stderr, "; did you mean '%s'?\n", near);
	else
		fprintf(stderr, "; 'tuesday help' lists the pages\n");
	free(shown);
	free(check);
	free(names);
	return EXIT_MISUSE;
}

/* What a check looks at is said by 'tuesday explain'. */
static int help_explain(const char *check)
{
	const struct command *command = help_find_command("explain");
	char name[] = "tuesday explain", *copy = mem_strdup(check);
	char *argv[] = {name, copy, NULL};
	int status = command ? command->run(2, argv) : 3;

	free(copy);
	return status;
}

static int help_show(const char *program, const char *topic)
{
	const struct command *command = topic ? help_find_command(topic) : NULL;
	const struct help_page *page = topic ? help_find(topic) : NULL;
	struct str text = STR_INIT;
	int err;

	if (command && !page)
		return help_of_command(command);
	if (topic && !page && asked_is_check(topic))
		return help_explain(topic);
	if (topic && !page)
		return help_unknown(program, topic);
	err = page ? help_unpack(page, &text) : help_list(&text);
	if (err)
		fprintf(stderr, "%s: the documentation in this program is damaged\n", program);
	else
		fwrite(str_text(&text), 1, text.len, stdout);
	str_free(&text);
	return err ? 3 : 0;
}

static int cmd_help(int argc, char **argv)
{
	const struct usage usage = {
		.line = "tuesday help [TOPIC|COMMAND|CHECK]",
		.what = "Prints a page of the documentation, the options of a command, or all "
			"topics.",
		.status = "0 printed, 3 the documentation is damaged",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names > 1)
		fprintf(stderr, "%s: name one topic; see --help\n", argv[0]);
	else if (!err)
		status = help_show(argv[0], options.n_names ? options.names[0] : NULL);
	options_free(&options);
	return status;
}
