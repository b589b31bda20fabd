/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What clang -ftime-trace wrote about each of its runs, and the jobs of the build that these were:
 * the process of that number which ran at that time, or the job of ninja whose output lies beside
 * the file (obj/a.o beside obj/a.json), which is on the same clock but for some milliseconds.
 */
#ifndef TUESDAY_SPANS_JOIN_H
#define TUESDAY_SPANS_JOIN_H

struct span_table;

/*
 * The spans of each run of the compiler become children of its job where the table has that, and
 * .joined says how many runs have one. A build of ninja is moved on the clock so that its jobs are
 * around their compilers. Once all files are read.
 */
void span_join(struct span_table *table);

#endif
