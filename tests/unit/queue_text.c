/* SPDX-License-Identifier: GPL-2.0-only */
/* Does queuediagnose doubt its sum where the kernel counts another one? */
#include "base/banned.h"

#include <string.h>

#include "base/str.h"
#include "tests/unit/tap.h"
#include "tools/queue/json.h"
#include "tools/queue/look.h"
#include "tools/queue/text.h"

#define MS UINT64_C(1000000)

/* What is said of a wait of so long, of which the kernel has counted so much. */
static char *told(uint64_t ns, uint64_t counted, bool json)
{
	struct queue_options asked = {
		.has_a = true, .seconds = 2, .only = QUEUE_ONLY_CPU, .top = 3};
	struct queue_look look = {.seconds = 2,
		.cpu.looked = true,
		.delays = {.known = true, .ns = counted, .processes = 1}};
	struct str out = STR_INIT, why = STR_INIT;

	party_parse(&asked.a, "web", &why);
	matrix_name(&look.matrix, matrix_person(&look.matrix, 1),
		&(struct party_member){.pid = 1, .name = "web", .cgroups = ""});
	matrix_add(&look.matrix,
		&(struct matrix_cell){.waiter = matrix_person(&look.matrix, 1),
			.ahead = MATRIX_IDLE,
			.ns = ns,
			.count = 1,
			.longest_ns = ns});
	if (json)
		queue_json(&out, &look, &asked);
	else
		queue_text(&out, &look, &asked);
	queue_look_free(&look);
	party_free(&asked.a);
	str_free(&why);
	return str_take(&out);
}

static bool says(uint64_t ns, uint64_t counted, bool json, const char *words)
{
	char *text = told(ns, counted, json);
	const bool has = strstr(text, words) != NULL;

	if (!has)
		printf("# %s\n", text);
	free(text);
	return has;
}

int main(void)
{
	ok(says(950 * MS, 1000 * MS, false, "However: that is more than 2 %"),
		"a sum that is a twentieth from the kernel's is doubted");
	ok(says(950 * MS, 1000 * MS, true, "\"agrees_with_kernel\":false"), "in JSON, too");
	ok(says(990 * MS, 1000 * MS, true, "\"agrees_with_kernel\":true"),
		"one that is a hundredth from it is not");
	ok(says(9 * MS, 10 * MS, true, "\"agrees_with_kernel\":true"),
		"and of little nothing is known");
	return tap_done();
}
