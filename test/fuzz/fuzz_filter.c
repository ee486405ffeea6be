/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device shows besides LVM: first bytes, last bytes, SCSI's identification page, udev's
 * names for its content, the name of a device-mapper node. A byte selects one of them.
 */
#include "filter/filter_private.h"
#include "fuzz/fuzz.h"
#include "rules/dm_answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES LEA_FILTER_HEAD_BYTES

static struct lea_type types[] = {{"sd", 8, 16}, {"loop", 7, 1}};
static char name[] = "/dev/sda";

/* Properties up to a NUL, then the first bytes. */
static void head(struct fuzz_in *in)
{
	const struct lea_conf conf = {.md_component_detection = true,
				      .fw_raid_component_detection = true,
				      .md_component_checks = "full"};
	struct lea_filter filter = {
		.world = fuzz_world(), .conf = &conf, .types = {types, ARRAY_SIZE(types)}};
	struct lea_device device = {.major = 8, .name = name};
	struct lea_filter_verdict verdict = {0};
	struct lea_head_signs signs;

	device.properties = fuzz_text_to(in, '\0');
	lea_head_look(in->at, in->left < HEAD_BYTES ? in->left : HEAD_BYTES, &signs);
	CLAIM(!lea_filter_head(&filter, &device, &signs, &verdict));
	CLAIM(verdict.excluded < LEA_EXCLUSIONS);
	free(device.properties);
}

/* The size of the device, then its last bytes. */
static void tail(struct fuzz_in *in)
{
	const uint64_t more = fuzz_u64(in);

	lea_tail_has_md(in->at, in->left, in->left + (more & 0xffffffffffffULL));
	lea_tail_has_md(in->at, in->left, more);
}

static bool look_at(void *arg, const char *id)
{
	uint32_t *count = arg;

	CLAIM(strlen(id) >= strlen("naa.") && strlen(id) < LEA_ID_BYTES);
	return ++*count == 3;
}

static void page(const struct fuzz_in *in)
{
	static int fd;
	struct lea_world *world = fuzz_world();
	char id[LEA_ID_BYTES];
	uint32_t count = 0;

	if (!fd)
		fd = fuzz_file("/sys/dev/block/8:0/device/vpd_pg83");
	fuzz_fill(fd, in->at, in->left);
	CLAIM(lea_id_any_vpd83(world, (struct lea_devno){8, 0}, false, look_at, &count) ==
	      (count == 3));
	lea_id_normalise("a  b", id);
	CLAIM(!strcmp(id, "a_b"));
}

static void dm_name(struct fuzz_in *in)
{
	const uint32_t cookie = fuzz_u32(in);
	char answer[LEA_DM_ANSWER_BYTES], *text = fuzz_rest(in), id[LEA_ID_BYTES];
	int r = lea_dm_answer_split(text, answer);

	CLAIM(r == 0 || r == -EINVAL);
	/* udev imports the output: three lines, with quotes only around the values. */
	for (const char *p = answer; !r && *p; p++)
		CLAIM(*p == '\n' || (*p > ' ' && *p <= '~' && *p != '\\' && *p != '"'));
	if (!r)
		CLAIM(strlen(answer) < LEA_DM_ANSWER_BYTES - 1);
	lea_dm_answer_flags(cookie, answer);
	CLAIM(strlen(answer) < LEA_DM_ANSWER_BYTES - 1);
	lea_id_normalise(text, id);
	CLAIM(strlen(id) < LEA_ID_BYTES);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};

	switch (fuzz_u8(&in) % 8) {
	case 0:
	case 1:
	case 2:
		head(&in);
		break;
	case 3:
	case 4:
		tail(&in);
		break;
	case 5:
		page(&in);
		break;
	default:
		dm_name(&in);
		break;
	}
	return 0;
}
