/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a value stand in our JSON? */
#include <math.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "base/str.h"
#include "base/datetime.h"

json_t *json_of_text(const char *text)
{
	struct str valid = STR_INIT;
	json_t *json;

	escape_utf8(&valid, text);
	json = json_string(str_text(&valid));
	str_free(&valid);
	return json;
}

void json_put_text(json_t *object, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(object, key, json_of_text(text));
}

void json_put_number(json_t *object, const char *key, double number)
{
	if (isfinite(number))
		json_object_set_new(object, key, json_real(number));
}

void json_put_count(json_t *object, const char *key, uint64_t count)
{
	json_object_set_new(
		object, key, json_integer(count > INT64_MAX ? INT64_MAX : (json_int_t)count));
}

void json_put_if(json_t *object, const char *key, bool holds)
{
	if (holds)
		json_object_set_new(object, key, json_true());
}

void json_put_time(json_t *object, const char *key, time_t time)
{
	char text[DATETIME_UTC_SIZE];

	if (time && datetime_utc(text, time))
		json_put_text(object, key, text);
}
