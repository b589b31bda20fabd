/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is to blame, in the headline: unit and age stand where its number does. */
#include <string.h>

#include "check/check.h"
#include "output/screen_findings.h"
#include "tap.h"

static void headline_is(const struct culprit *who, char *say, const char *wanted, const char *what)
{
	struct metric_result metric = {.words.say = say, .who = *who};
	struct check_result result = {.verdict = VERDICT_BAD};
	const struct finding finding = {.result = &result, .metric = &metric};
	struct str out = STR_INIT;

	screen_add_headline(&out, &finding, true);
	ok(!strcmp(str_text(&out), wanted), "%s: %s", what, str_text(&out));
	str_free(&out);
}

int main(void)
{
	struct culprit who = {
		.kind = "process", .name = "bash", .id = "7", .share = 0.5, .up_seconds = 60};

	headline_is(&who, "jobs by bash (pid 7) use a CPU",
		"jobs by bash (pid 7, up 60 s) use a CPU", "beside the number, where it is");
	headline_is(&who, "bash uses a CPU", "bash uses a CPU (up 60 s)", "at the end, else");
	headline_is(&who, "a CPU is used", "a CPU is used, by bash (pid 7, up 60 s) 50 %",
		"with the name, where the sentence has none");
	headline_is(&who, "bash (pid 77) uses a CPU", "bash (pid 77) uses a CPU (up 60 s)",
		"the number of another is no place for it");
	snprintf(who.unit, sizeof(who.unit), "%s", "cron.service");
	headline_is(&who, "jobs by bash (pid 7) use a CPU",
		"jobs by bash (pid 7, cron.service, up 60 s) use a CPU",
		"a unit comes before the age");
	who.up_seconds = 0;
	headline_is(&who, "bash uses a CPU", "bash uses a CPU (cron.service)", "or alone");
	return tap_done();
}
