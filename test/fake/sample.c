/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks images with xz in a pipe, so that tests need no preparation. */
#include "fake/sample.h"

#include "base/bytes.h"
#include "fake/put.h"

#include <check.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_stream(FILE *stream, size_t *ret_len)
{
	size_t room = 4096, len = 0;
	char *bytes = malloc(room + 1);

	ck_assert_ptr_nonnull(bytes);
	for (;;) {
		size_t got = fread(bytes + len, 1, room - len, stream);

		len += got;
		if (!got)
			break;
		if (len == room) {
			room *= 2;
			bytes = realloc(bytes, room + 1);
			ck_assert_ptr_nonnull(bytes);
		}
	}
	bytes[len] = '\0';
	*ret_len = len;
	return bytes;
}

void sample_load(struct sample *sample, const char *name)
{
	char command[512];
	FILE *stream;
	size_t len;

	snprintf(command, sizeof(command), "%s/samples/%s.expect", TEST_DATA, name);
	stream = fopen(command, "r");
	ck_assert_msg(stream != NULL, "%s: no expectations", name);
	*sample = (struct sample){.name = strdup(name), .expect = read_stream(stream, &len)};
	fclose(stream);
	snprintf(command, sizeof(command), "xz -dc '%s/samples/%s.img.xz'", TEST_DATA, name);
	stream = popen(command, "r");
	ck_assert_ptr_nonnull(stream);
	sample->head = (uint8_t *)read_stream(stream, &sample->head_bytes);
	ck_assert_int_eq(pclose(stream), 0);
	sample->device_bytes = sample_number(sample, "device_bytes");
	ck_assert_uint_eq(sample->head_bytes, sample_number(sample, "image_bytes"));
}

void sample_done(struct sample *sample)
{
	free(sample->name);
	free(sample->head);
	free(sample->expect);
}

const char *sample_value(const struct sample *sample, const char *key)
{
	static char value[1024];
	size_t key_len = strlen(key);

	for (const char *line = sample->expect; *line; line += strcspn(line, "\n") + 1)
		if (!strncmp(line, key, key_len) && line[key_len] == '=') {
			snprintf(value, sizeof(value), "%.*s",
				 (int)strcspn(line + key_len + 1, "\n"), line + key_len + 1);
			return value;
		}
	return NULL;
}

uint64_t sample_number(const struct sample *sample, const char *key)
{
	const char *value = sample_value(sample, key);

	return value ? strtoull(value, NULL, 0) : 0;
}

static void sample_glob(glob_t *found)
{
	/* Also called while the suite is built, when Check's assertions do not work yet. */
	if (glob(TEST_DATA "/samples/*.img.xz", 0, NULL, found) ||
	    glob(TEST_DATA "/samples/damaged/*.img.xz", GLOB_APPEND, NULL, found))
		abort();
}

size_t sample_count(void)
{
	glob_t found;
	size_t count;

	sample_glob(&found);
	count = found.gl_pathc;
	globfree(&found);
	return count;
}

void sample_load_index(struct sample *sample, size_t index)
{
	char name[256];
	glob_t found;
	const char *path;

	sample_glob(&found);
	path = found.gl_pathv[index] + strlen(TEST_DATA "/samples/");
	snprintf(name, sizeof(name), "%.*s", (int)(strlen(path) - strlen(".img.xz")), path);
	globfree(&found);
	sample_load(sample, name);
}

void sample_write(const struct sample *sample, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, sample->head, sample->head_bytes), (ssize_t)sample->head_bytes);
	ck_assert_int_eq(ftruncate(fd, (off_t)sample->device_bytes), 0);
	close(fd);
}

/* Checksums of the first metadata area, whose committed text was changed. */
static void seal(uint8_t *header, const uint8_t *text, uint64_t bytes)
{
	put_crc(header + 56, text, bytes);
	seal_header(header);
}

static uint8_t *committed(const struct sample *sample, uint8_t **ret_header, uint64_t *ret_bytes)
{
	uint8_t *header = sample->head + sample_number(sample, "mda0.offset");

	*ret_bytes = lea_le64(header + 48);
	*ret_header = header;
	return header + lea_le64(header + 40);
}

void sample_change_text(struct sample *sample, const char *from, const char *to)
{
	uint64_t bytes;
	uint8_t *header, *text = committed(sample, &header, &bytes), *at;

	at = memmem(text, bytes, from, strlen(from));
	ck_assert_ptr_nonnull(at);
	ck_assert_uint_eq(strlen(from), strlen(to));
	memcpy(at, to, strlen(to));
	seal(header, text, bytes);
}

void sample_set_text(struct sample *sample, const char *new_text)
{
	uint64_t bytes;
	uint8_t *header, *text = committed(sample, &header, &bytes);
	const size_t new_bytes = strlen(new_text) + 1;

	ck_assert_uint_le((uint64_t)(text - sample->head) + new_bytes, sample->head_bytes);
	memcpy(text, new_text, new_bytes);
	put_le(header + 48, new_bytes, 8);
	seal(header, text, new_bytes);
}

void sample_replace_text(struct sample *sample, const char *from, const char *to)
{
	uint64_t bytes;
	uint8_t *header, *text = committed(sample, &header, &bytes);
	const uint8_t *at = memmem(text, bytes, from, strlen(from));
	char *changed;

	ck_assert_ptr_nonnull(at);
	ck_assert_int_gt(asprintf(&changed, "%.*s%s%s", (int)(at - text), (char *)text, to,
				  (const char *)at + strlen(from)),
			 0);
	sample_set_text(sample, changed);
	free(changed);
}
