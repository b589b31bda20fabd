/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of machine is it that the files are of? */
#include "base/banned.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/environment.h"
#include "capture/internal.h"
#include "sys/open_beneath.h"
#include "capture/recording.h"

static struct pair *find_pair(const struct capture *fs, const char *key)
{
	size_t i;

	for (i = 0; i < fs->n_environment; i++)
		if (!strcmp(fs->environment[i].key, key))
			return &fs->environment[i];
	return NULL;
}

static void set_pair(struct capture *fs, const char *key, const char *value)
{
	struct pair *pair = find_pair(fs, key);
	char *at;

	if (!pair) {
		ARRAY_GROW(fs->environment, fs->n_environment, fs->room_environment);
		pair = &fs->environment[fs->n_environment++];
		*pair = (struct pair){mem_strdup(key), NULL};
	}
	free(pair->value);
	pair->value = mem_strdup(value);
	for (at = pair->value; *at; at++)
		if (*at == '\n')
			*at = ' ';
}

static void record_environment(struct capture *fs)
{
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < fs->n_environment; i++) {
		const struct pair *pair = &fs->environment[i];

		str_addf(&text, "%s ", pair->key);
		if (fs->filter)
			fs->filter->environment(fs->filter_arg, pair->key, pair->value, &text);
		else
			str_add(&text, pair->value);
		str_addc(&text, '\n');
	}
	recording_note(fs, recording_write(fs->top, "environment", str_text(&text), text.len));
	str_free(&text);
}

void capture_set_environment(struct capture *fs, const char *key, const char *value)
{
	if (fs->replay || !*key || strpbrk(key, " \n"))
		return;
	set_pair(fs, key, value);
	if (fs->top >= 0)
		record_environment(fs);
}

char *capture_environment(struct capture *fs, const char *key)
{
	const struct pair *pair = find_pair(fs, key);

	return pair ? mem_strdup(pair->value) : NULL;
}

void environment_load(struct capture *fs)
{
	int fd = beneath_open(fs->top, "environment", O_RDONLY);
	char *at, *line;
	size_t len;

	if (fd < 0)
		return;
	if (!capture_read_fd(fs, fd, (struct manner){.ask = READ_SIZE}, &len)) {
		for (at = fs->buf; (line = strsep(&at, "\n"));) {
			char *blank = strchr(line, ' ');

			if (!blank || blank == line)
				continue;
			*blank = 0;
			set_pair(fs, line, blank + 1);
		}
	}
	close(fd);
}

unsigned int machine_cpus(struct capture *fs)
{
	char *text = capture_environment(fs, "cpus");
	uint64_t n = 0;

	if (text && num_u64(text, 1, 65536, &n))
		n = 0;
	free(text);
	return (unsigned int)n;
}

double machine_page_bytes(struct capture *fs)
{
	char *text = capture_environment(fs, "page_bytes");
	uint64_t n = fs->replay ? 4096 : (uint64_t)sysconf(_SC_PAGESIZE);
	bool known = !text || !num_u64(text, 1024, 1 << 24, &n);

	free(text);
	return known ? (double)n : (double)NAN;
}
