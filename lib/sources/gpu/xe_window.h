/* SPDX-License-Identifier: GPL-2.0-only */
/* One window of the EU-stall streams of a GPU. */
#ifndef TUESDAY_SOURCES_GPU_XE_WINDOW_H
#define TUESDAY_SOURCES_GPU_XE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xe_plan;
struct xe_reader;
struct xe_tally;
struct xe_trouble;

struct xe_stream {
	int fd;
	unsigned int gt;
	bool is_enabled;
};

struct xe_session {
	const char *gpu; /* its name */
	struct xe_stream streams[XE_GTS_MAX];
	size_t n;
	uint8_t *buffer; /* as large as all buffers of a GT's XeCores together */
	size_t buffer_bytes;
	const struct xe_reader *reader;
	struct xe_tally *tally;
	struct xe_trouble *trouble;
};

int xe_streams_enable(struct xe_session *session);
int xe_streams_disable(struct xe_session *session);
int xe_read_window(struct xe_session *session, const struct xe_plan *plan, unsigned int number);

#endif
