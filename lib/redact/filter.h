/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings that can be shown to strangers: names of hosts, users' own names (processes, cgroups,
 * mount points, interfaces, labels) and addresses are replaced, while what the kernel itself calls
 * its things stays, so that a replay gives the same verdicts.
 *
 * A word stays only if it is known to be the kernel's or ours (see vocabulary.h), or a number;
 * every other one is replaced by a keyed hash, the same word by the same one throughout. The key is
 * random, for one recording, and kept nowhere. Addresses become other addresses, in text, in hex
 * and in bytes alike. What has a form that is not known is left out.
 */
#ifndef TUESDAY_REDACT_FILTER_H
#define TUESDAY_REDACT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;
struct redactor;
struct str;
struct word_source;

/* Draws a key. words has what stays beside the common words (see vocabulary.h). Returns NULL where
 * there is no randomness to be had. */
struct redactor *redactor_new(const struct word_source *words);
/* With a key that is given, for tests. */
struct redactor *redactor_new_with_key(const struct word_source *words, const uint8_t key[16]);
void redactor_free(struct redactor *redactor);

/* From now on what fs records goes through the redactor, which belongs to fs then. Must precede the
 * first sample. */
void redactor_attach(struct redactor *redactor, struct capture *fs);

/* Appends the path of a file or blob in a recording ("/proc/net/dev", "@task") as it is to be
 * called. PATH@link, PATH@error and PATH@age stay what they are. */
void redact_path(const struct redactor *redactor, const char *path, struct str *out);

/*
 * Appends the content of the file or blob of that path, which is the one before redaction. Returns
 * false where its form is not known, so that it must be left out.
 */
bool redact_content(const struct redactor *redactor, const char *path, const void *data, size_t len,
	struct str *out);

/* Appends the value of a key of the environment. */
void redact_environment(
	const struct redactor *redactor, const char *key, const char *value, struct str *out);

#endif
