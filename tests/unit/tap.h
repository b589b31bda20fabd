/* SPDX-License-Identifier: GPL-2.0-only */
/* TAP for unit tests in C: a test's name is a sentence. */
#ifndef TUESDAY_TAP_H
#define TUESDAY_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_tests, tap_failed;

/* Tests that sudo runs set variables that Tuesday does not take from the caller of sudo. */
__attribute__((constructor)) static void tap_forget_sudo(void)
{
	unsetenv("SUDO_UID");
}

/* One assertion; returns it, so that a test can stop where going on makes no sense. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool passed, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%sok %d - ", passed ? "" : "not ", ++tap_tests);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
	/* Said once more where prove shows it unasked: CI has no second look. */
	if (!passed) {
		va_start(args, format);
		fprintf(stderr, "# not ok %d - ", tap_tests);
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
		va_end(args);
	}
	tap_failed += !passed;
	return passed;
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_tests);
	return tap_failed != 0;
}

#endif
