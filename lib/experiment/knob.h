/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a change: reading, writing, and putting back. */
#ifndef TUESDAY_EXPERIMENT_KNOB_H
#define TUESDAY_EXPERIMENT_KNOB_H

#include <stdbool.h>
#include <stddef.h>

struct undo_log_entry;
struct str;

/* A longer value is none. */
#define KNOB_VALUE_MAX 4095

/*
 * The value in the text of a kernel file: without trailing white space; of a choice like "[none]
 * mq-deadline", where exactly one word is in brackets, that word. Returns false where it has more
 * than one line, or a byte 0. The caller frees *value.
 */
bool knob_value(const char *text, size_t len, char **value);

/*
 * Reads the value of a file, and writes one, with a newline, in one call. Only files of the kernel
 * are touched (change.h). Return 0, -EMEDIUMTYPE for another file, -EMSGSIZE for what is no single
 * value, or -errno. The caller frees *value.
 */
int knob_read(const char *path, char **value);
int knob_write(const char *path, const char *value);

/* Whether a file could be written, without doing so: 0 or -errno. */
int knob_may_write(const char *path);

/* The phrase for an error of these. */
const char *knob_error(int err);

/*
 * Puts back what is ours, and reads back whether it is. A file that is gone, with its device, needs
 * nothing. If it is not known yet what the kernel made of our value, whatever is not the old one is
 * taken for ours. Returns 0, -ESTALE where somebody else's value was left in one of the files at
 * least, or -ENOTRECOVERABLE; notes gets phrases that say where and what, harmless to print.
 */
int knob_restore(const struct undo_log_entry *entry, struct str *notes);

/* Adds a phrase, made harmless to print, after "; " where there is another one; none twice. */
void knob_note(struct str *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
