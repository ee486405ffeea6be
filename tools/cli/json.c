/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json.h"

#include <errno.h>
#include <json-c/json_object.h>
#include <json-c/json_pointer.h>
#include <json-c/json_tokener.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"

static const int form = JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;

/* A key is a constant of ours, and stands once in its object: so it is neither copied nor searched.
 */
#define KEY_FLAGS (JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_KEY_IS_CONSTANT)

static void add(struct lea_json *json, struct json_object *to, const char *key,
		struct json_object *value)
{
	if (to && value &&
	    !(key ? json_object_object_add_ex(to, key, value, KEY_FLAGS)
		  : json_object_array_add(to, value)))
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
	LEA_AUTO(lea_freep) char *mended = lea_utf8_is_ok(text) ? NULL : strdup(text);

	if (mended)
		lea_utf8_mend(mended);
	add(json, to, key, json_object_new_string(mended ? mended : text));
}

void lea_json_signed(struct lea_json *json, struct json_object *to, const char *key,
		     int64_t number)
{
	add(json, to, key, json_object_new_int64(number));
}

void lea_json_number(struct lea_json *json, struct json_object *to, const char *key,
		     uint64_t number)
{
	lea_json_signed(json, to, key, (int64_t)number);
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

void lea_json_fold(struct lea_json *json, struct json_object *list)
{
	const size_t count = list ? json_object_array_length(list) : 0;
	struct json_object *folded = NULL;
	const char *text = NULL;
	char *copy = NULL;

	if (json->has_failed || !count)
		return;
	text = json_object_to_json_string_ext(json_object_array_get_idx(list, count - 1), form);
	copy = text ? strdup(text) : NULL;
	folded = copy ? json_object_new_boolean(false) : NULL;
	if (folded) {
		json_object_set_serializer(folded, json_object_userdata_to_json_string, copy,
					   json_object_free_userdata);
		copy = NULL;
	}
	if (!folded || json_object_array_put_idx(list, count - 1, folded)) {
		json->has_failed = true;
		json_object_put(folded);
	}
	free(copy);
}

const char *lea_json_text_of(struct json_object *object)
{
	return object ? json_object_to_json_string_ext(object, form) : NULL;
}

int lea_json_print(const struct lea_json *json, FILE *out)
{
	const char *text = json->has_failed ? NULL : lea_json_text_of(json->top);

	if (!text)
		return -ENOMEM;
	fprintf(out, "%s\n", text);
	return 0;
}

/* ---- of other programs */

struct json_object *lea_json_read(const char *text)
{
	struct json_object *object = json_tokener_parse(text);

	if (json_object_is_type(object, json_type_object))
		return object;
	json_object_put(object);
	return NULL;
}

void lea_json_free(struct json_object *object)
{
	json_object_put(object);
}

static struct json_object *find(struct json_object *from, const char *path, enum json_type type)
{
	struct json_object *found = NULL;

	return !json_pointer_get(from, path, &found) && json_object_is_type(found, type) ? found
											 : NULL;
}

bool lea_json_find_number(struct json_object *from, const char *path, uint64_t *ret_number)
{
	struct json_object *found = find(from, path, json_type_int);
	const int64_t number = found ? json_object_get_int64(found) : -1;

	if (number < 0)
		return false;
	*ret_number = (uint64_t)number;
	return true;
}

bool lea_json_find_bool(struct json_object *from, const char *path, bool *ret_value)
{
	struct json_object *found = find(from, path, json_type_boolean);

	if (!found)
		return false;
	*ret_value = json_object_get_boolean(found);
	return true;
}
