/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ring.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define MAGIC	    "LVMETL1\n"
#define MOST_US	    (UINT64_C(1) << 48) /* of uptime: 9 years */
#define HEAD_BYTES  sizeof(struct lea_ring_head)
#define PLACE_BYTES sizeof(struct lea_ring_record)

_Static_assert(PLACE_BYTES == 48 && HEAD_BYTES == 48, "the format of the file");
_Static_assert(LEA_RING_BYTES <= 1024 * 1024, "the size that the manual gives");

void lea_ring_boot(const char *boot, char ret_boot[static LEA_RING_BOOT_BYTES])
{
	size_t count = 0;

	memset(ret_boot, 0, LEA_RING_BOOT_BYTES);
	for (; *boot && count < LEA_RING_BOOT_BYTES - 1; boot++)
		if (isxdigit((unsigned char)*boot))
			ret_boot[count++] = *boot;
}

void lea_ring_begin(struct lea_ring *ring, const char *boot)
{
	char id[LEA_RING_BOOT_BYTES];

	lea_ring_boot(boot, id);
	memcpy(ring->head.boot, id, sizeof(ring->head.boot));
	memcpy(ring->head.magic, MAGIC, sizeof(ring->head.magic));
}

bool lea_ring_is_ours(const struct lea_ring *ring)
{
	return !memcmp(ring->head.magic, MAGIC, sizeof(ring->head.magic));
}

/* While seq is 0 a reader leaves the place out. */
void lea_ring_put(struct lea_ring *ring, const struct lea_ring_record *record)
{
	const uint64_t index = __atomic_fetch_add(&ring->head.written, 1, __ATOMIC_RELAXED);
	struct lea_ring_record *place = &ring->place[index % LEA_RING_PLACES];
	struct lea_ring_record written = *record;

	written.seq = 0;
	__atomic_store_n(&place->seq, 0, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*place = written;
	__atomic_store_n(&place->seq, (uint32_t)(index + 1), __ATOMIC_RELEASE);
}

uint64_t lea_ring_vg(const char *vg_id)
{
	uint64_t vg = 0;

	memcpy(&vg, vg_id, strnlen(vg_id, sizeof(vg)));
	return vg;
}

/* How many records were written after this one. */
static uint32_t age_of(const struct lea_ring_record *record, uint64_t written)
{
	return (uint32_t)written - record->seq;
}

static bool is_sound(const struct lea_ring_record *record, uint64_t written)
{
	const uint32_t age = age_of(record, written);

	return record->seq && age < LEA_RING_PLACES && age < written && record->kind &&
	       record->kind < LEA_RING_KINDS && record->time_us < MOST_US;
}

static void make_plain(char text[static LEA_RING_TEXT_BYTES])
{
	const size_t len = strnlen(text, LEA_RING_TEXT_BYTES);

	for (size_t i = 0; i < len; i++)
		if (!strchr("+_.-", text[i]) && !isalnum((unsigned char)text[i]))
			text[i] = '?';
	memset(text + len, 0, LEA_RING_TEXT_BYTES - len);
}

static int by_seq(const void *a, const void *b, void *written)
{
	const uint32_t x = age_of(a, *(uint64_t *)written), y = age_of(b, *(uint64_t *)written);

	return (x < y) - (x > y);
}

int lea_ring_parse(struct lea_arena *arena, const void *bytes, size_t len_bytes,
		   struct lea_ring_records *ret_records)
{
	struct lea_ring_records records = {0};
	struct lea_ring_head head;
	struct lea_ring_record *record;
	size_t places;

	if (len_bytes < HEAD_BYTES || len_bytes > LEA_RING_BYTES)
		return LEA_RING_REFUSED;
	memcpy(&head, bytes, HEAD_BYTES);
	if (memcmp(head.magic, MAGIC, sizeof(head.magic)) != 0)
		return LEA_RING_REFUSED;
	places = (len_bytes - HEAD_BYTES) / PLACE_BYTES;
	record = lea_arena_alloc(arena, places, PLACE_BYTES);
	if (places && !record)
		return -ENOMEM;
	for (size_t i = 0; i < places; i++) {
		struct lea_ring_record *to = &record[records.count];

		memcpy(to, (const char *)bytes + HEAD_BYTES + i * PLACE_BYTES, PLACE_BYTES);
		records.count += is_sound(to, head.written);
		make_plain(to->text);
	}
	if (records.count)
		qsort_r(record, records.count, PLACE_BYTES, by_seq, &head.written);
	memcpy(records.boot, head.boot, sizeof(head.boot));
	if (strspn(records.boot, "0123456789abcdefABCDEF") != sizeof(head.boot))
		records.boot[0] = '\0';
	records.record = record;
	records.written = head.written;
	*ret_records = records;
	return 0;
}

int lea_ring_format(const struct lea_ring_records *records, void **ret_bytes, size_t *ret_len)
{
	const size_t count = records->count < LEA_RING_PLACES ? records->count : LEA_RING_PLACES;
	struct lea_ring_head head = {.written = records->written};
	char *bytes = malloc(HEAD_BYTES + count * PLACE_BYTES);

	if (!bytes)
		return -ENOMEM;
	memcpy(head.magic, MAGIC, sizeof(head.magic));
	memcpy(head.boot, records->boot, sizeof(head.boot));
	memcpy(bytes, &head, HEAD_BYTES);
	if (count)
		memcpy(bytes + HEAD_BYTES, records->record, count * PLACE_BYTES);
	*ret_bytes = bytes;
	*ret_len = HEAD_BYTES + count * PLACE_BYTES;
	return 0;
}

int lea_ring_join(struct lea_arena *arena, const struct lea_ring_records *first,
		  const struct lea_ring_records *then, struct lea_ring_records *ret_records)
{
	const uint64_t more = then->written - first->written;
	struct lea_ring_record *record;
	size_t skipped = 0;

	while (skipped < then->count && age_of(&then->record[skipped], then->written) >= more)
		skipped++;
	record = lea_arena_alloc(arena, first->count + then->count - skipped, PLACE_BYTES);
	if (!record && first->count + then->count > skipped)
		return -ENOMEM;
	if (first->count)
		memcpy(record, first->record, first->count * PLACE_BYTES);
	if (then->count > skipped)
		memcpy(record + first->count, then->record + skipped,
		       (then->count - skipped) * PLACE_BYTES);
	*ret_records = *then;
	ret_records->record = record;
	ret_records->count = first->count + then->count - skipped;
	return 0;
}
