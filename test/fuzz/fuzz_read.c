/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader child sends of a device, from a child that a disk has taken over. A byte says which
 * sound answer it begins with; then places and the bytes that are there instead; then its text.
 * What is found sound goes through the judgement as in the parent.
 */
#include "base/id.h"
#include "filter/filter_private.h"
#include "fuzz/fuzz.h"
#include "scan/scan_private.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PLACES 64U
#define MOST_TEXT   (64U * 1024U)

static struct lea_type types[] = {{"sd", 8, 16}};
static char name[] = "/dev/sda";
static const struct lea_conf conf = {.md_component_detection = true, .md_component_checks = "auto"};

static void begin(uint8_t kind, struct lea_read *read)
{
	memset(read, 0, sizeof(*read));
	read->size_bytes = 1U << 20;
	read->label_outcome = kind & 1 ? LEA_LABEL_CORRUPT : 0;
	memcpy(read->why.what, "label checksum mismatch", sizeof("label checksum mismatch"));
	memcpy(read->label.pvid, "abcdefghijklmnopqrstuvwxyz012345", LEA_PVID_CHARS);
	read->label.ext_version = 2;
	read->label.in_use = true;
	if (read->label_outcome)
		return;
	read->mda_count = read->label.mda_count = 1 + (kind >> 1 & 1);
	for (unsigned int i = 0; i < read->mda_count; i++) {
		struct lea_read_mda *mda = &read->mda[i];

		mda->where = (struct lea_mda_text){
			.offset_bytes = {4096}, .size_bytes = {100}, .total_bytes = 100, .crc = i};
		memcpy(mda->vg_name, "vg", sizeof("vg"));
		mda->has_text = kind & 4;
	}
	CLAIM(lea_read_is_sound(read));
}

static void put(struct lea_read *read, size_t at, uint8_t byte)
{
	((uint8_t *)read)[at % sizeof(*read)] = byte;
}

/* False: more text than is worth its time. */
static bool give_texts(struct fuzz_in *in, const struct lea_read *read,
		       struct lea_read_texts *texts)
{
	for (unsigned int i = 0; i < LEA_PV_MDAS; i++) {
		const uint32_t bytes = read->mda[i].where.total_bytes;

		if (!read->mda[i].has_text)
			continue;
		if (bytes > MOST_TEXT)
			return false;
		texts->of_mda[i] = calloc(1, bytes);
		CLAIM(texts->of_mda[i]);
		memcpy(texts->of_mda[i], in->at, in->left < bytes ? in->left : bytes);
	}
	return true;
}

/* What the code behind relies on, said once more. */
static void check(const struct lea_read *read)
{
	CLAIM(read->fault <= 0 && read->signs.partitions <= LEA_PARTITIONS_UNKNOWN);
	CLAIM(read->mda_count <= LEA_PV_MDAS);
	CLAIM(read->fault || read->label_outcome || lea_id_ok(read->label.pvid));
	for (unsigned int i = 0; i < LEA_PV_MDAS; i++) {
		const struct lea_read_mda *mda = &read->mda[i];

		CLAIM(memchr(mda->vg_name, '\0', sizeof(mda->vg_name)));
		CLAIM(memchr(mda->why.what, '\0', sizeof(mda->why.what)));
		CLAIM(fuzz_is_plain(mda->why.what));
		CLAIM(!mda->has_text || (i < read->mda_count && !mda->outcome));
		CLAIM(!mda->has_text || mda->where.total_bytes <= LEA_TEXT_MAX_BYTES);
	}
}

static void judge(const struct lea_read *read, const struct lea_read_texts *texts)
{
	struct lea_filter filter = {
		.world = fuzz_world(), .conf = &conf, .types = {types, ARRAY_SIZE(types)}};
	struct lea_scan scan = {.world = filter.world, .conf = &conf, .filter = &filter};
	struct lea_found found = {.device = {.major = 8, .name = name}};
	struct lea_read_request request = {.found = &found};
	char message[512];

	scan.texts = &scan.own_texts;
	CLAIM(!lea_scan_judge(&scan, &request, read, texts));
	CLAIM(fuzz_is_plain(found.problem) && fuzz_is_plain(found.vg_name));
	CLAIM(fuzz_is_plain(found.content) && found.fault <= 0);
	lea_found_damage(&found, message, sizeof(message));
	CLAIM(fuzz_is_plain(message));
	CLAIM(!found.vg || lea_found_is_pv(&found) || found.kind == LEA_FOUND_EXCLUDED);
	lea_scan_texts_done(&scan.own_texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lea_read read;
	struct lea_read_texts texts = {0};
	struct fuzz_in in = {data, size};
	uint32_t places;

	begin(fuzz_u8(&in), &read);
	places = fuzz_u8(&in) % MOST_PLACES;
	for (uint32_t i = 0; i < places; i++) {
		const uint32_t at = fuzz_u8(&in) | (uint32_t)fuzz_u8(&in) << 8;

		put(&read, at, fuzz_u8(&in));
	}
	if (lea_read_is_sound(&read)) {
		check(&read);
		if (give_texts(&in, &read, &texts))
			judge(&read, &texts);
	}
	lea_read_texts_done(&texts);
	return 0;
}
