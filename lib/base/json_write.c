/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a value stand in our JSON? */
#include "base/banned.h"

#include <inttypes.h>
#include <math.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "base/str.h"
#include "base/datetime.h"

static void json_require(bool holds)
{
	if (!holds)
		abort();
}

void json_start(struct json_writer *json, struct str *out)
{
	*json = (struct json_writer){
		.out = out, .digits = 15, .first = true, .close = "}", .depth = 1};
	str_addc(out, '{');
}

void json_finish(struct json_writer *json)
{
	json_close(json);
	json_require(!json->depth);
	str_addc(json->out, '\n');
}

void json_print(struct json_writer *json)
{
	json_finish(json);
	fputs(json->out->text, stdout);
	str_free(json->out);
}

static void json_add_string(struct json_writer *json, const char *text)
{
	str_addc(json->out, '"');
	escape_json(json->out, text);
	str_addc(json->out, '"');
}

/* What stands before a value. */
static void json_add_key(struct json_writer *json, const char *key)
{
	json_require(json->depth && (json->close[json->depth - 1] == '}') == (key != NULL));
	if (!json->first)
		str_addc(json->out, ',');
	json->first = false;
	if (key) {
		json_add_string(json, key);
		str_addc(json->out, ':');
	}
}

void json_open(struct json_writer *json, const char *key, char bracket)
{
	json_add_key(json, key);
	json_require(json->depth < JSON_DEPTH_MAX);
	json->close[json->depth++] = bracket == '{' ? '}' : ']';
	json->first = true;
	str_addc(json->out, bracket);
}

void json_close(struct json_writer *json)
{
	json_require(json->depth > 0);
	str_addc(json->out, json->close[--json->depth]);
	json->first = false;
}

void json_write_string(struct json_writer *json, const char *key, const char *text)
{
	json_add_key(json, key);
	json_add_string(json, text);
}

void json_write_text(struct json_writer *json, const char *key, const char *text)
{
	if (text && *text)
		json_write_string(json, key, text);
}

void json_write_texts(struct json_writer *json, const char *key, char *const *list, size_t n)
{
	size_t i;

	json_open(json, key, '[');
	for (i = 0; i < n; i++)
		json_write_string(json, NULL, list[i]);
	json_close(json);
}

void json_write_number(struct json_writer *json, const char *key, double number)
{
	char text[32], *exponent;

	if (!isfinite(number))
		return;
	snprintf(text, sizeof(text), "%.*g", json->digits, number);
	exponent = strchr(text, 'e');
	json_add_key(json, key);
	if (!exponent) {
		str_add(json->out, text);
		str_add(json->out, strchr(text, '.') ? "" : ".0");
		return;
	}
	/* C writes e-05 and e+20, we e-5 and e20. */
	str_addn(json->out, text, (size_t)(exponent - text) + 1);
	exponent += 1 + (exponent[1] == '+');
	if (*exponent == '-')
		str_addc(json->out, *exponent++);
	str_add(json->out, exponent + strspn(exponent, "0"));
}

void json_write_count(struct json_writer *json, const char *key, uint64_t count)
{
	json_add_key(json, key);
	str_addf(json->out, "%" PRIu64, count > INT64_MAX ? INT64_MAX : count);
}

void json_write_bool(struct json_writer *json, const char *key, bool value)
{
	json_add_key(json, key);
	str_add(json->out, value ? "true" : "false");
}

void json_write_if(struct json_writer *json, const char *key, bool holds)
{
	if (holds)
		json_write_bool(json, key, true);
}

void json_write_time(struct json_writer *json, const char *key, time_t time)
{
	char text[DATETIME_UTC_SIZE];

	if (time && datetime_utc(text, time))
		json_write_string(json, key, text);
}
