/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who interrupts the CPUs, and which CPU is interrupted? Each line of /proc/interrupts is a plain
 * field (RES, 24) and an instance with the field total; each CPU is a plain field cpu0.total and an
 * instance with the field cpu_total.
 */
#include "base/banned.h"

#include <stdio.h>

#include "sources/common/cpu_node.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "sources/kernel/interrupts.h"
#include "sample/source.h"

/* The sums of the columns, which the header names. */
struct columns {
	struct bytes header;
	double *sums;
	size_t n;
};

static void count_columns(struct columns *columns)
{
	struct bytes header = columns->header, word;

	columns->n = 0;
	while (text_word(&header, &word))
		columns->n++;
	columns->sums = mem_zalloc((columns->n + 1) * sizeof(double));
}

/* "24 (virtio0-req.0)": the last word names the device of a numbered interrupt. */
static void label_line(struct sink *sink, const char *name, struct bytes rest)
{
	struct bytes word, last = {NULL, 0};
	char label[160];

	while (text_word(&rest, &word))
		last = word;
	if (!last.len || *name < '0' || *name > '9')
		return;
	snprintf(label, sizeof(label), "%s (%.*s)", name, (int)(last.len < 128 ? last.len : 128),
		last.data);
	sink_label(sink, name, label);
}

/* Adds the numbers of a line, times sign, to the CPUs' sums. Returns how many there were. */
static size_t interrupts_add_line(
	struct columns *columns, struct bytes *words, double sign, double *total)
{
	double value;
	size_t i;

	*total = 0;
	for (i = 0; i < columns->n && text_next_number(words, &value); i++) {
		columns->sums[i] += sign * value;
		*total += value;
	}
	return i;
}

static void interrupts_put_line(
	struct sink *sink, struct columns *columns, struct bytes name, struct bytes words)
{
	struct bytes rest = words, word;
	char text[64];
	double total;

	if (!text_copy(name, text, sizeof(text)) || !interrupts_add_line(columns, &rest, 1, &total))
		return;
	sink_put(sink, "", text, total);
	sink_put(sink, text, "total", total);
	label_line(sink, text, rest);
	/* ERR and MIS have one number for all CPUs, and no text behind it: it is no CPU's. */
	if (!text_word(&rest, &word))
		interrupts_add_line(columns, &words, -1, &total);
}

static void put_cpus(struct sink *sink, const struct columns *columns)
{
	struct bytes header = columns->header, word;
	char field[64], cpu[32];
	double number;
	size_t i;

	for (i = 0; i < columns->n && text_word(&header, &word); i++) {
		if (!text_starts(word, "CPU"))
			continue;
		word.data += 3;
		word.len -= 3;
		if (!text_number(word, &number) || number < 0)
			continue;
		snprintf(cpu, sizeof(cpu), "cpu%.0f", number);
		snprintf(field, sizeof(field), "%s.total", cpu);
		sink_put(sink, "", field, columns->sums[i]);
		sink_put(sink, cpu, "cpu_total", columns->sums[i]);
	}
}

void parse_interrupts(struct bytes text, struct sink *sink)
{
	struct columns columns = {0};
	struct bytes line, name, word;

	if (!text_line(&text, &columns.header))
		return;
	count_columns(&columns);
	while (text_line(&text, &line))
		if (text_until(&line, ':', &name) && text_word(&name, &word))
			interrupts_put_line(sink, &columns, word, line);
	put_cpus(sink, &columns);
	free(columns.sums);
}

/* "NET_RX: 558 870" below "CPU0 CPU1" */
static void put_softirq(
	struct sink *sink, struct bytes header, struct bytes name, struct bytes words)
{
	struct bytes cpu;
	double value, total = 0;
	char text[32];
	size_t n = 0;

	while (text_word(&header, &cpu) && text_next_number(&words, &value)) {
		total += value;
		n++;
		if (!text_starts(cpu, "CPU") || !text_copy(cpu, text, sizeof(text)))
			continue;
		memcpy(text, "cpu", 3);
		text_put(sink, text, "", name, value);
	}
	if (n)
		text_put(sink, "", "", name, total);
}

void parse_softirqs(struct bytes text, struct sink *sink)
{
	struct bytes header, line, name, word;

	if (!text_line(&text, &header))
		return;
	while (text_line(&text, &line))
		if (text_until(&line, ':', &name) && text_word(&name, &word))
			put_softirq(sink, header, word, line);
}

static int read_interrupts(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/interrupts", parse_interrupts, sink);
}

static int read_softirqs(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/softirqs", parse_softirqs, sink);
}

SOURCE(interrupts) = {
	.name = "interrupts",
	.what = "/proc/interrupts: interrupts by line and by CPU",
	.read = read_interrupts,
	.groups = "node",
	.group_of = cpu_node_group_of,
};

SOURCE(softirqs) = {
	.name = "softirqs",
	.what = "/proc/softirqs: softirqs by vector and by CPU",
	.read = read_softirqs,
	.groups = "node",
	.group_of = cpu_node_group_of,
};
