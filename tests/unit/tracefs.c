/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the format files of tracepoints read as the kernel means them? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sys/caps.h"
#include "trace/event_format.h"
#include "base/str.h"
#include "tap.h"
#include "trace/tracefs.h"

static const char retransmit[] =
	"name: tcp_retransmit_skb\n"
	"ID: 2281\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:const void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__u8 daddr_v6[16];\toffset:58;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:enum skb_drop_reason reason;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:int broken;\toffset:;\tsize:4;\tsigned:0;\n"
	"\tfield:int far;\toffset:99999;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"state=%s reason: %s\", __print_symbolic(REC->state, { TCP_ESTABLISHED, "
	"\"TCP_ESTABLISHED\" }, { 0x2, \"SYN \\\"}SENT\" }), __print_symbolic(REC->reason, { 2, "
	"\"NOT_SPECIFIED\" }, { 3, \"NO_SOCKET\" },{ -1, \"NONE\" })\n";

static bool is(const struct event_field *field, const char *type, unsigned int offset,
	unsigned int size, bool is_array, bool is_signed)
{
	return field && !strcmp(field->type, type) && field->offset == offset &&
		field->size == size && field->is_array == is_array && field->is_signed == is_signed;
}

static void test_fields(const struct event_format *format)
{
	ok(format->id == 2281, "the number of the tracepoint is known");
	ok(is(event_format_field(format, "common_pid"), "int", 4, 4, false, true),
		"a signed number is read");
	ok(is(event_format_field(format, "skbaddr"), "const void *", 8, 8, false, false),
		"a pointer keeps its type");
	ok(is(event_format_field(format, "daddr_v6"), "__u8", 58, 16, true, false),
		"an array is told by its brackets");
	ok(is(event_format_field(format, "name"), "__data_loc char[]", 12, 4, false, false),
		"text in another place is told by its type");
	ok(is(event_format_field(format, "reason"), "enum skb_drop_reason", 36, 4, false, false),
		"a type of two words is read");
	ok(!event_format_field(format, "broken"), "a field without an offset is left out");
	ok(!event_format_field(format, "far"), "a field outside of any record is left out");
}

static void test_symbols(const struct event_format *format)
{
	char name[32], tiny[4];

	ok(event_format_symbol(format, "reason", 3, name, sizeof(name)) &&
			!strcmp(name, "NO_SOCKET"),
		"a number has the name that the print format gives it");
	ok(event_format_symbol(format, "reason", (uint64_t)-1, name, sizeof(name)) &&
			!strcmp(name, "NONE"),
		"a negative number has one too");
	ok(event_format_symbol(format, "state", 2, name, sizeof(name)) &&
			!strcmp(name, "SYN \"}SENT"),
		"a hexadecimal number behind one without a value is found, quotes and all");
	ok(!event_format_symbol(format, "reason", 4, name, sizeof(name)),
		"a number that is not listed has no name");
	ok(!event_format_symbol(format, "reas", 3, name, sizeof(name)),
		"the start of a field's name is not that field");
	ok(event_format_symbol(format, "reason", 3, tiny, sizeof(tiny)) && !strcmp(tiny, "NO_"),
		"a long name is cut to size");
}

static void test_refused(void)
{
	static const char *const texts[] = {"", "ID: x\n", "name: a\nformat:\n", "ID:"};
	struct event_format format;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		ok(event_format_parse(&format, texts[i], strlen(texts[i])) == -EINVAL,
			"text %zu without a number is refused", i);
		event_format_free(&format);
	}
}

static void test_live(void)
{
	struct event_format format = {0};
	struct str text = STR_INIT;
	int dir = tracefs_open(), err;

	if (dir < 0) {
		ok(true, "a format file of this kernel is read # SKIP tracefs: %s", strerror(-dir));
		return;
	}
	err = tracefs_format(dir, "sched:sched_switch", &text);
	ok(!err && !event_format_parse(&format, str_text(&text), text.len) &&
			event_format_field(&format, "next_pid"),
		"a format file of this kernel is read");
	ok(tracefs_format(dir, "sched:no_such_event", &text) == -ENOENT,
		"a tracepoint that the kernel does not have is missing");
	ok(tracefs_format(dir, "../../etc:passwd", &text) == -EINVAL &&
			tracefs_format(dir, "sched:../x", &text) == -EINVAL,
		"a name never leads out of tracefs");
	event_format_free(&format);
	str_free(&text);
	close(dir);
}

int main(void)
{
	struct event_format format;

	ok(event_format_parse(&format, retransmit, strlen(retransmit)) == 0,
		"a format file is read");
	test_fields(&format);
	test_symbols(&format);
	event_format_free(&format);
	test_refused();
	test_live();
	return tap_done();
}
