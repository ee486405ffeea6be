/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A usual PV costs two reads: the first 8 KiB, and the text. Of a long text one block is read
 * first; it holds the VG's name, and the rest is not read if such a text is cached.
 */
#include "scan/read.h"

#include <errno.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "filter/filter.h"
#include "world/blockdev.h"

#define WHOLE_TEXT_BYTES (64U * 1024U) /* up to this size one read costs less than two */
#define FIRST_BYTES	 4096U
#define MEASURED_BYTES	 4096U
#define MEASURE_US	 1000000U

static void set_why(struct lea_read_why *to, const struct lea_why *why)
{
	snprintf(to->what, sizeof(to->what), "%s", why->what ? why->what : "");
	to->at = why->at;
}

/* An open device, and its first bytes. */
struct source {
	int fd;
	uint8_t *head;	   /* borrowed */
	size_t head_bytes; /* less than LEA_READ_HEAD_BYTES only on tiny devices */
};

/* Reads size, head and label; a fault goes to @read. */
static void read_head(struct source *source, struct lea_read *read)
{
	struct lea_why why = {0};
	int r = lea_blockdev_size(source->fd, &read->size_bytes);

	read->label_outcome = LEA_LABEL_NONE;
	if (!r) {
		source->head_bytes = read->size_bytes < LEA_READ_HEAD_BYTES
					     ? (size_t)read->size_bytes
					     : LEA_READ_HEAD_BYTES;
		r = lea_blockdev_read(source->fd, 0, source->head, source->head_bytes);
	}
	read->fault = r;
	if (!r)
		lea_head_look(source->head, source->head_bytes, &read->signs);
	if (!r && source->head_bytes >= LEA_LABEL_SCAN_BYTES)
		read->label_outcome =
			lea_label_parse(source->head, source->head_bytes, &why, &read->label);
	set_why(&read->why, &why);
}

/* Looks for md metadata at the end of a PV; a fault goes to @read. */
static void read_tail(int fd, struct lea_read *read)
{
	const size_t len = read->size_bytes < LEA_FILTER_TAIL_BYTES ? (size_t)read->size_bytes
								    : LEA_FILTER_TAIL_BYTES;
	LEA_AUTO(lea_freep) uint8_t *tail = malloc(len);

	read->fault = tail ? lea_blockdev_read(fd, read->size_bytes - len, tail, len) : -ENOMEM;
	read->has_tail = !read->fault;
	read->has_md_tail = read->has_tail && lea_tail_has_md(tail, len, read->size_bytes);
}

bool lea_read_is_orphan(const struct lea_read *read)
{
	return read->label.ext_version >= 2 && !read->label.in_use;
}

static int corrupt(struct lea_read_mda *mda, const char *what, uint64_t at)
{
	set_why(&mda->why, &(struct lea_why){.what = what, .at = at});
	return LEA_MDA_CORRUPT;
}

/* A part of the area could not be read: that is damage, as for lvm2. What the machine lacks is
 * none. */
static int unread(struct lea_read_mda *mda, int fault, const char *what, uint64_t at)
{
	return lea_is_shortage(fault) ? fault : corrupt(mda, what, at);
}

/* As read_text: an outcome of the area, or a shortage. */
static int read_header(const struct source *source, uint64_t size_bytes,
		       const struct lea_mda_area *area, bool again, struct lea_read_mda *mda)
{
	uint8_t own[LEA_MDA_HEADER_BYTES];
	const uint8_t *header = own;
	struct lea_why why = {0};
	int r = 0;

	if (!lea_range_ok(area->offset_bytes, LEA_MDA_HEADER_BYTES, size_bytes))
		return corrupt(mda, "metadata area outside of the device", area->offset_bytes);
	if (!again && lea_range_ok(area->offset_bytes, LEA_MDA_HEADER_BYTES, source->head_bytes))
		header = source->head + area->offset_bytes;
	else
		r = lea_blockdev_read(source->fd, area->offset_bytes, own, sizeof(own));
	if (r)
		return unread(mda, r, "metadata area header unreadable", area->offset_bytes);
	r = lea_mda_parse(header, area, size_bytes, &why, &mda->where);
	set_why(&mda->why, &why);
	return r;
}

static void take_name(struct lea_read_mda *mda, const char *text, size_t len)
{
	size_t max = len < LEA_READ_NAME_BYTES - 1 ? len : LEA_READ_NAME_BYTES - 1;
	size_t n = 0;

	while (n < max && text[n] > ' ' && text[n] != '{' && text[n] != '#' && text[n] != '=')
		n++;
	memcpy(mda->vg_name, text, n);
	mda->vg_name[n] = '\0';
}

/* Reads the text's two pieces from byte @from of the text on. */
static int read_pieces(int fd, const struct lea_mda_text *where, uint32_t from, char *text)
{
	uint32_t first = where->size_bytes[0];
	int r = 0;

	if (from < first)
		r = lea_blockdev_read(fd, where->offset_bytes[0] + from, text + from, first - from);
	if (!r && where->size_bytes[1])
		r = lea_blockdev_read(fd, where->offset_bytes[1], text + first,
				      where->size_bytes[1]);
	return r;
}

/* The text of a VG that was changed only a few times follows the header directly, and the head that
 * was read contains it. */
static bool copy_from_head(const struct source *source, const struct lea_mda_text *where,
			   char *text)
{
	if (where->size_bytes[1] ||
	    !lea_range_ok(where->offset_bytes[0], where->size_bytes[0], source->head_bytes))
		return false;
	memcpy(text, source->head + where->offset_bytes[0], where->size_bytes[0]);
	return true;
}

/*
 * @again: not from the head. Returns 0 with *ret_text, which stays NULL if the text is cached,
 * LEA_MDA_CORRUPT, or a shortage.
 */
static int read_text(const struct source *source, bool again, const struct lea_read_cached *cached,
		     struct lea_read_mda *mda, char **ret_text)
{
	const struct lea_mda_text *where = &mda->where;
	LEA_AUTO(lea_freep) char *text = NULL;
	char first[FIRST_BYTES];
	uint32_t begun = 0;
	int r = 0;

	if (where->total_bytes > WHOLE_TEXT_BYTES) {
		begun = where->size_bytes[0] < FIRST_BYTES ? where->size_bytes[0] : FIRST_BYTES;
		r = lea_blockdev_read(source->fd, where->offset_bytes[0], first, begun);
		if (r)
			return unread(mda, r, "metadata text unreadable", where->offset_bytes[0]);
		take_name(mda, first, begun);
		if (cached->is_known(cached->arg, where, mda->vg_name))
			return 0;
	}
	text = malloc(where->total_bytes);
	if (!text)
		return -ENOMEM;
	memcpy(text, first, begun);
	if (again || !copy_from_head(source, where, text))
		r = read_pieces(source->fd, where, begun, text);
	if (r)
		return unread(mda, r, "metadata text unreadable", where->offset_bytes[0]);
	/* Also from a damaged text: messages name the VG by it. */
	take_name(mda, text, where->total_bytes);
	if (!lea_mda_text_ok(where, (const uint8_t *)text))
		return corrupt(mda, "metadata text checksum mismatch", where->offset_bytes[0]);
	if (!cached->is_known(cached->arg, where, mda->vg_name))
		*ret_text = LEA_TAKE(text);
	return 0;
}

static bool overlap(const struct lea_mda_area *a, const struct lea_mda_area *b)
{
	return a->offset_bytes < b->offset_bytes
		       ? b->offset_bytes - a->offset_bytes < a->size_bytes
		       : a->offset_bytes - b->offset_bytes < b->size_bytes;
}

/* 0 or a shortage. */
static int read_mda(const struct source *source, const struct lea_read_cached *cached,
		    struct lea_read *read, unsigned int index, char **ret_text)
{
	const struct lea_mda_area *area = &read->label.mda[index];
	struct lea_read_mda *mda = &read->mda[index];
	bool is_settled = false;
	int r = 0;

	if (index && overlap(area, &read->label.mda[0])) {
		mda->outcome = corrupt(mda, "metadata areas overlap", area->offset_bytes);
		return 0;
	}
	for (int attempt = 0; attempt < 2 && !is_settled; attempt++) {
		r = read_header(source, read->size_bytes, area, attempt > 0, mda);
		is_settled = r != 0;
		r = r ? r : read_text(source, attempt > 0, cached, mda, ret_text);
		is_settled |= r <= 0;
	}
	if (r < 0)
		return r;
	mda->outcome = r;
	mda->has_text = *ret_text != NULL;
	return 0;
}

/* Reads the metadata of a PV in use. A text with a wrong checksum is read once more together with
 * its header, since it may have been rewritten between the two reads. */
static void read_mdas(const struct source *source, const struct lea_read_cached *cached,
		      struct lea_read *read, struct lea_read_texts *texts)
{
	read->mda_count = read->label.mda_count;
	for (unsigned int i = 0; i < read->mda_count && !read->fault; i++)
		read->fault = read_mda(source, cached, read, i, &texts->of_mda[i]);
	if (!read->fault)
		return;
	/* An area that was read may be older than the other one. */
	lea_read_texts_done(texts);
	memset(read->mda, 0, sizeof(read->mda));
	read->mda_count = 0;
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* The last reading ends the measurement early on a slow device: its answer is wanted in time. */
static void measure(int fd, struct lea_read *read)
{
	const uint64_t places = read->size_bytes / MEASURED_BYTES;
	const uint64_t begin = now_us();
	char bytes[MEASURED_BYTES];

	for (uint64_t i = 0; i < LEA_READ_MEASURED && places && now_us() - begin < MEASURE_US;
	     i++) {
		const uint64_t at = places * i / LEA_READ_MEASURED * MEASURED_BYTES;
		const uint64_t start = now_us();
		uint64_t took;

		if (lea_blockdev_read(fd, at, bytes, sizeof(bytes)))
			return;
		took = now_us() - start;
		read->measured++;
		read->measured_us += took;
		read->slowest_us = took > read->slowest_us ? took : read->slowest_us;
	}
}

/* Without an answer from libblkid the label decides, as in lvm2. A shortage goes to @read. */
static void ask_content(int fd, struct lea_read *read)
{
	const int r = lea_blkid_type(fd, read->content);

	if (r < 0)
		read->content[0] = '\0';
	read->fault = lea_shortage_of(r);
}

static void read_source(struct source *source, const struct lea_read_cached *cached,
			const struct lea_read_extras *extras, struct lea_read *read,
			struct lea_read_texts *texts)
{
	read_head(source, read);
	if (read->fault || read->label_outcome)
		return;
	if (extras->measure)
		measure(source->fd, read);
	if (extras->content)
		ask_content(source->fd, read);
	if (read->fault || lea_read_is_orphan(read))
		return;
	if (extras->tail)
		read_tail(source->fd, read);
	if (!read->fault)
		read_mdas(source, cached, read, texts);
}

static bool is_never_known(void *arg, const struct lea_mda_text *where, const char *vg_name)
{
	(void)arg;
	(void)where;
	(void)vg_name;
	return false;
}

void lea_read_device(struct lea_world *world, const struct lea_device *device,
		     const struct lea_read_cached *cached, const struct lea_read_extras *extras,
		     struct lea_read *read, struct lea_read_texts *texts)
{
	static const struct lea_read_cached nothing = {.is_known = is_never_known};
	LEA_AUTO(lea_closep)
	int fd = lea_blockdev_open(world, device->name, device->major, device->minor);
	alignas(LEA_BLOCKDEV_ALIGN) uint8_t head[LEA_READ_HEAD_BYTES];
	struct source source = {.fd = fd, .head = head};

	read->fault = fd < 0 ? fd : 0;
	if (fd >= 0)
		read_source(&source, extras->own_texts ? &nothing : cached, extras, read, texts);
}

void lea_read_texts_done(struct lea_read_texts *texts)
{
	for (unsigned int i = 0; i < LEA_PV_MDAS; i++)
		free(texts->of_mda[i]);
	*texts = (struct lea_read_texts){0};
}
