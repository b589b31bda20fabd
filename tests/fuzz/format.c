/* SPDX-License-Identifier: GPL-2.0-only */
/* Does any format file of a tracepoint make its parser, or what is compiled from it, misbehave? */
#include "base/banned.h"

#include <stdint.h>

#include "trace/event_fields.h"
#include "trace/event_format.h"
#include "base/str.h"
#include "trace/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever was accepted, the kernel's program must be able to copy it from the record. */
static void check_place(const struct trace_field *field)
{
	if (field->kind >= FIELD_NUMBER && (field->offset > 8192 || field->size > 8192))
		abort();
	if (field->kind == FIELD_NUMBER && field->size != 1 && field->size != 2 &&
		field->size != 4 && field->size != 8)
		abort();
	if (field->kind == FIELD_ADDRESS && field->size != 4 && field->size != 16)
		abort();
}

static void compile(const struct event_format *format, char *name)
{
	struct trace_spec spec = {
		.begin = "a:b", .end = "a:c", .key = name, .who = name, .by = name};
	struct trace_spec event = {.event = "a:b", .who = name, .value = name};
	char *where = mem_printf("%s == 1 and %s lacks 0x7", name, name);
	struct trace_spec conditional = {.event = "a:b", .where = where};
	struct str why = STR_INIT;
	struct declared declared;
	int err = declared_compile(&spec, format, format, &declared, &why);

	if (!err != !why.len)
		abort();
	check_place(&declared.pair.who);
	check_place(&declared.pair.by);
	check_place(&declared.pair.begin_key[0]);
	check_place(&declared.pair.end_key[0]);
	str_clear(&why);
	err = declared_compile(&event, format, NULL, &declared, &why);
	if (!err != !why.len)
		abort();
	check_place(&declared.pair.value);
	str_clear(&why);
	err = declared_compile(&conditional, format, NULL, &declared, &why);
	if (!err != !why.len)
		abort();
	check_place(&declared.pair.where[0].field);
	str_free(&why);
	free(where);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The parser reads no further than it is told, so there is no 0 behind the text. */
	char *text = mem_alloc(size), name[16];
	struct event_format format;
	size_t i;

	if (size)
		memcpy(text, data, size);
	event_format_parse(&format, text, size);
	free(text);
	for (i = 0; i < format.n; i++) {
		char *field = mem_strdup(format.fields[i].name);
		uint64_t number;

		for (number = 0; number < 4; number++)
			event_format_symbol(&format, field, number, name, sizeof(name));
		compile(&format, field);
		free(field);
	}
	event_format_free(&format);
	return 0;
}
