/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a key of a check file no more than a row of a table? */
#include "base/banned.h"

#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"
#include "check/compile_util.h"
#include "check/keys.h"
#include "check/settings.h"
#include "tests/unit/tap.h"

/* What a section of this test declares. */
struct thing {
	const char *text;
	char *copy;
	bool yes;
	double number;
	struct str seen; /* NAME(REST)=VALUE of every key that thing_take took */
};

static void thing_take(const struct key_job *job)
{
	str_addf(job->field, "%s(%s)=%s ", job->key->name, job->rest ? job->rest : "none",
		job->setting->value);
}

#define AT(field) offsetof(struct thing, field)
static const struct key rows[] = {
	{.name = "text", .take = key_take_text, .at = AT(text)},
	{.name = "copy", .take = key_take_copy, .at = AT(copy)},
	{.name = "yes", .take = key_take_yes, .at = AT(yes)},
	{.name = "number", .take = key_take_number, .at = AT(number), .above = 1, .most = 10},
	{.name = "limit", .shape = KEY_CLASS, .take = thing_take, .at = AT(seen)},
	{.name = "when", .shape = KEY_NAMED, .take = thing_take, .at = AT(seen)},
	{.name = "later"},
};
#undef AT

static const struct keys keys = {.list = rows, .n = ARRAY_SIZE(rows)};

/* Takes the keys of [thing]; what is complained about is appended to errors. */
static void take(struct thing *thing, const char *text, struct str *errors)
{
	struct complaints complaints = {.out = errors};
	struct inifile *ini = inifile_parse("t.ini", text, strlen(text), &complaints);
	struct settings settings = {0};
	struct compile compile = {.settings = &settings, .complaints = &complaints};
	struct section section;

	if (!ini)
		exit(1);
	settings_from(&settings, ini, "t.ini");
	inifile_free(ini);
	section = section_at(&settings, 0);
	compile_keys(&compile, &section, &keys, thing);
	/* Texts are those of the settings, which go. */
	ok(!thing->text || !strcmp(thing->text, "a b"), "a text is that of its setting");
	thing->text = NULL;
	settings_free(&settings);
}

static void thing_free(struct thing *thing)
{
	free(thing->copy);
	str_free(&thing->seen);
}

static void test_rows(void)
{
	struct str errors = STR_INIT;
	struct thing thing = {0};

	take(&thing,
		"[thing]\ntext = a b\ncopy = c\nyes = yes\nnumber = 5\nlimit = 1\nlimit.nvme = 2\n"
		"when.a.b = 3\nlater = 4\n",
		&errors);
	ok(!errors.len && thing.copy && !strcmp(thing.copy, "c") && thing.yes && thing.number == 5,
		"values go where their rows say");
	ok(!strcmp(str_text(&thing.seen), "limit(none)=1 limit(nvme)=2 when(a.b)=3 "),
		"a key may have a class or a name behind a dot, if its row says so");
	thing_free(&thing);
	str_free(&errors);
}

static void complains(const char *line, const char *expected)
{
	char *text = mem_printf("[thing]\n%s\n", line);
	struct str errors = STR_INIT;
	struct thing thing = {0};

	take(&thing, text, &errors);
	if (!ok(!strcmp(str_text(&errors), expected), "%s is refused", line))
		printf("# %s", str_text(&errors));
	thing_free(&thing);
	str_free(&errors);
	free(text);
}

static void test_complaints(void)
{
	complains("txet = 1", "t.ini:2: unknown key 'txet'; did you mean 'text'?\n");
	complains("xyzzy = 1", "t.ini:2: unknown key 'xyzzy'\n");
	complains("text.nvme = 1", "t.ini:2: unknown key 'text.nvme'\n");
	complains("when = 1", "t.ini:2: unknown key 'when'\n");
	complains("copy =", "t.ini:2: 'copy' is empty\n");
	complains("later =", "t.ini:2: 'later' is empty\n");
	complains("yes = perhaps", "t.ini:2: 'yes' is yes or no, not 'perhaps'\n");
	complains("number = 1", "t.ini:2: '1' is out of range for 'number'\n");
	complains("number = 11", "t.ini:2: '11' is out of range for 'number'\n");
}

int main(void)
{
	test_rows();
	test_complaints();
	return tap_done();
}
