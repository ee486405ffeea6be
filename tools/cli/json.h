/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON of the commands, made with json-c, and of other programs, read with it. Every output is one
 * object whose first member is "version", the version of the format; lvmevent-json(5) documents the
 * members.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Grows when a member is renamed, removed, or changes its meaning; not when one is added. */
#define LEA_JSON_VERSION 2

struct json_object; /* json-c's value of any type */

/* Members are added to @top, or to an object or a list inside it, and are owned by it. */
struct lea_json {
	struct json_object *top; /* owned */
	bool has_failed;	 /* out of memory: lea_json_print reports it */
};

/* Begins an object with its version. Call lea_json_done in every case. */
void lea_json_begin(struct lea_json *json);
void lea_json_done(struct lea_json *json);

/* @text: any bytes; what is no UTF-8 becomes "?". @to: an object; with @key NULL a list, to which the value is appended. NULL: nothing is added. */
void lea_json_text(struct lea_json *json, struct json_object *to, const char *key,
		   const char *text);
void lea_json_number(struct lea_json *json, struct json_object *to, const char *key,
		     uint64_t number);
void lea_json_signed(struct lea_json *json, struct json_object *to, const char *key,
		     int64_t number);
void lea_json_bool(struct lea_json *json, struct json_object *to, const char *key, bool value);
/* The new object or list, borrowed; NULL: out of memory. */
struct json_object *lea_json_object(struct lea_json *json, struct json_object *to, const char *key);
struct json_object *lea_json_list(struct lea_json *json, struct json_object *to, const char *key);
/* The last value of the list is complete: keeps its text and frees its parts, which the next value
 * uses again. For long lists. */
void lea_json_fold(struct lea_json *json, struct json_object *list);

/* What another program printed: an object, the caller's (lea_json_free); NULL: it is none. */
struct json_object *lea_json_read(const char *text);
void lea_json_free(struct json_object *object);
/* The member of an object in @from: "/smart_status/passed". False: there is none of this type. */
bool lea_json_find_number(struct json_object *from, const char *path, uint64_t *ret_number);
bool lea_json_find_bool(struct json_object *from, const char *path, bool *ret_value);

/* Its text; NULL: out of memory. Borrowed from @object until that changes. */
const char *lea_json_text_of(struct json_object *object);

/* Prints the object and a newline. 0 or -ENOMEM, with nothing printed. */
LEA_MUST_CHECK int lea_json_print(const struct lea_json *json, FILE *out);
