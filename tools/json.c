/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

#include <errno.h>
#include <json-c/json_object.h>

static void add(struct lea_json *json, struct json_object *to, const char *key,
		struct json_object *value)
{
	if (to && value &&
	    !(key ? json_object_object_add(to, key, value) : json_object_array_add(to, value)))
		return;
	json->has_failed = true;
	json_object_put(value);
}

void lea_json_begin(struct lea_json *json)
{
	*json = (struct lea_json){.top = json_object_new_object()};
	lea_json_number(json, json->top, "version", LEA_JSON_VERSION);
}

void lea_json_done(struct lea_json *json)
{
	json_object_put(json->top);
}

void lea_json_text(struct lea_json *json, struct json_object *to, const char *key, const char *text)
{
	add(json, to, key, json_object_new_string(text));
}

void lea_json_number(struct lea_json *json, struct json_object *to, const char *key,
		     uint64_t number)
{
	add(json, to, key, json_object_new_int64((int64_t)number));
}

void lea_json_bool(struct lea_json *json, struct json_object *to, const char *key, bool value)
{
	add(json, to, key, json_object_new_boolean(value));
}

struct json_object *lea_json_object(struct lea_json *json, struct json_object *to, const char *key)
{
	struct json_object *object = json_object_new_object();

	add(json, to, key, object);
	return json->has_failed ? NULL : object;
}

struct json_object *lea_json_list(struct lea_json *json, struct json_object *to, const char *key)
{
	struct json_object *list = json_object_new_array();

	add(json, to, key, list);
	return json->has_failed ? NULL : list;
}

int lea_json_print(const struct lea_json *json, FILE *out)
{
	const char *text = json->has_failed
				   ? NULL
				   : json_object_to_json_string_ext(
					     json->top, JSON_C_TO_STRING_SPACED |
								JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!text)
		return -ENOMEM;
	fprintf(out, "%s\n", text);
	return 0;
}
