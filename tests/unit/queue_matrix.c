/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include "base/str.h"
#include "queue/matrix.h"
#include "tests/unit/tap.h"

static void matrix_test_add(struct matrix *matrix, uint32_t waiter, uint32_t ahead, uint64_t ns)
{
	matrix_add(matrix,
		&(struct matrix_cell){.waiter = matrix_person(matrix, waiter),
			.person = matrix_person(matrix, ahead),
			.ns = ns,
			.count = 1,
			.longest_ns = ns});
}

static void matrix_test_name(struct matrix *matrix, uint32_t pid, const char *name)
{
	matrix_name(matrix, matrix_person(matrix, pid),
		&(struct party_member){.pid = pid, .name = name, .cgroups = ""});
}

static void matrix_test_make(struct matrix *matrix)
{
	matrix_test_name(matrix, 1, "web");
	matrix_test_name(matrix, 2, "backup");
	matrix_test_name(matrix, 3, "backup");
	matrix_test_name(matrix, 4, "cron");
	matrix_test_add(matrix, 1, 2, 100);
	matrix_test_add(matrix, 1, 3, 300);
	matrix_test_add(matrix, 1, 2, 50);
	matrix_test_add(matrix, 1, 1, 20);
	matrix_test_add(matrix, 1, 4, 30);
	matrix_test_add(matrix, 4, 2, 1000);
	matrix_add(matrix,
		&(struct matrix_cell){.waiter = matrix_person(matrix, 1),
			.ahead = MATRIX_IDLE,
			.ns = 7,
			.count = 1});
	matrix_add(matrix,
		&(struct matrix_cell){.waiter = matrix_person(matrix, 1),
			.person = matrix_person(matrix, 2),
			.stage = 1,
			.device = 8 << 20,
			.ns = 9999});
}

static void matrix_tests_party(const struct matrix *matrix)
{
	struct str why = STR_INIT;
	struct matrix_table table;
	struct party a, b;

	party_parse(&a, "web", &why);
	party_parse(&b, "backup", &why);
	matrix_tell(&table, matrix, &a, &b, 1u << 0, 0);
	ok(table.ns == 507, "one party has waited 507, and nobody else is in the sum");
	ok(table.behind_b_ns == 450, "450 of it behind both processes of the other");
	ok(table.behind_own_ns == 20, "20 behind itself");
	ok(table.kinds_ns[MATRIX_IDLE] == 7, "and 7 behind nobody");
	ok(table.sums[0].ns == 450 && table.groups[table.sums[0].ahead].is_b,
		"the longest is the first");
	ok(table.sums[0].longest_ns == 300 && table.sums[0].count == 3,
		"of its stretches the longest is kept");
	ok(table.groups[table.sums[0].ahead].processes == 2, "two processes are one party");
	matrix_table_free(&table);
	matrix_tell(&table, matrix, &a, NULL, 1u << 1, 8 << 20);
	ok(table.ns == 9999, "another stage is another sum");
	matrix_table_free(&table);
	matrix_tell(&table, matrix, &a, NULL, 1u << 1, 9 << 20);
	ok(table.ns == 0, "and so is another device");
	matrix_table_free(&table);
	party_free(&a);
	party_free(&b);
	str_free(&why);
}

static void matrix_tests_all(const struct matrix *matrix)
{
	struct matrix_table table;

	matrix_tell(&table, matrix, NULL, NULL, 1u << 0, 0);
	ok(table.ns == 1507, "all together have waited 1507");
	ok(table.n_groups == 4, "three names and nobody");
	ok(table.sums[0].ns == 1000 && !strcmp(table.groups[table.sums[0].waiter].name, "cron"),
		"who waited most is the first");
	matrix_table_free(&table);
}

int main(void)
{
	struct matrix matrix = {0};

	matrix_test_make(&matrix);
	matrix_tests_party(&matrix);
	matrix_tests_all(&matrix);
	matrix_free(&matrix);
	return tap_done();
}
