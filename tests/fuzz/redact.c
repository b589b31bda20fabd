/* SPDX-License-Identifier: GPL-2.0-only */
/* Does any content make the redaction of some kind of file misbehave, or let a name through? */
#include "base/banned.h"

#include <stdint.h>

#include "redact/filter.h"
#include "base/str.h"
#include "run/known_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = {"/proc/self/mountinfo", "/proc/1/comm",
		"/proc/net/tcp6", "@klog", "@trace", "@plugin-x", "@openfiles",
		"/proc/self/mountstats", "@task", "@inotify", "@new", "/proc/stat"};
	static const uint8_t key[16];
	static struct redactor *redactor;
	struct str out = STR_INIT;
	char *text;

	if (!redactor)
		redactor = redactor_new_with_key(&known_words, key);
	if (!size)
		return 0;
	redact_content(redactor, paths[*data % ARRAY_SIZE(paths)], data + 1, size - 1, &out);
	/* A word of its own, behind whatever came before. */
	str_clear(&out);
	text = mem_alloc(size + 16);
	memcpy(text, data, size);
	memcpy(text + size, " quokka77z\n", 11);
	redact_content(redactor, "@new", text, size + 11, &out);
	if (memmem(str_text(&out), out.len, "quokka77z", 9))
		abort();
	free(text);
	str_clear(&out);
	text = mem_strndup((const char *)data, size);
	redact_path(redactor, text, &out);
	redact_environment(redactor, "command", text, &out);
	free(text);
	str_free(&out);
	return 0;
}
