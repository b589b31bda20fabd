/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For how much of the time did somebody (some), or everybody (full), wait for a resource? Fields
 * some.total … in microseconds, some.avg10 … in percent, as in /proc/pressure.
 */
#include "base/banned.h"

#include <errno.h>

#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/kernel/pressure.h"
#include "sample/source.h"

static void pressure_put_line(struct sink *sink, const char *prefix, struct bytes words)
{
	struct bytes word, name;
	double value;

	while (text_word(&words, &word))
		if (text_until(&word, '=', &name) && text_number(word, &value))
			text_put(sink, "", prefix, name, value);
}

void parse_pressure(struct bytes text, struct sink *sink)
{
	struct bytes line, share;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &share))
			continue;
		if (text_is(share, "some"))
			pressure_put_line(sink, "some.", line);
		else if (text_is(share, "full"))
			pressure_put_line(sink, "full.", line);
	}
}

static int read_pressure(
	struct capture *fs, const char *path, const char *absent, struct sink *sink)
{
	struct bytes text;
	int err = capture_read(fs, path, &text);

	if (!err)
		parse_pressure(text, sink);
	else if (err == -EOPNOTSUPP)
		sink_missing(sink, "%s: the kernel was booted without psi=1", path);
	else if (err == -ENOENT)
		sink_missing(sink, "%s: %s", path, absent);
	else
		sink_missing(sink, "%s: %s", path, strerror(-err));
	return err;
}

#define WITHOUT_PSI "this kernel has no pressure stall information (CONFIG_PSI)"

static int read_cpu(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return read_pressure(fs, "/proc/pressure/cpu", WITHOUT_PSI, sink);
}

static int read_io(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return read_pressure(fs, "/proc/pressure/io", WITHOUT_PSI, sink);
}

static int read_memory(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return read_pressure(fs, "/proc/pressure/memory", WITHOUT_PSI, sink);
}

static int read_irq(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return read_pressure(fs, "/proc/pressure/irq",
		"needs Linux 6.1, pressure stall information and CONFIG_IRQ_TIME_ACCOUNTING", sink);
}

SOURCE(pressure_cpu) = {
	.name = "pressure/cpu",
	.what = "/proc/pressure/cpu: time that tasks waited for a CPU",
	.read = read_cpu,
};

SOURCE(pressure_io) = {
	.name = "pressure/io",
	.what = "/proc/pressure/io: time that tasks waited for block I/O",
	.read = read_io,
};

SOURCE(pressure_memory) = {
	.name = "pressure/memory",
	.what = "/proc/pressure/memory: time that tasks waited for memory",
	.read = read_memory,
};

SOURCE(pressure_irq) = {
	.name = "pressure/irq",
	.what = "/proc/pressure/irq: time that interrupts took from tasks",
	.read = read_irq,
};
