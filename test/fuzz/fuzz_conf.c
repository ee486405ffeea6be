/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration: a byte says whether the text is lvm.conf, lvmevent.conf, --config, or a broken
 * lvmevent.conf in a boot service, which must run in spite of it. Every resulting number is in its
 * range.
 */
#include "conf/conf.h"

#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const size_t fuzz_text_at = 1;

#define MOST_CHARS (1U << 20) /* more than any input has */

static int lvm_fd, own_fd;

static void open_once(void)
{
	if (own_fd)
		return;
	lvm_fd = fuzz_file("/etc/lvm/lvm.conf");
	own_fd = fuzz_file("/etc/lvm/lvmevent.conf");
	fuzz_file("/etc/lvm/profile/x.profile");
	fuzz_fill(fuzz_file("/etc/machine-id"), "0123456789abcdef0123456789abcdef\n", 33);
}

static void check_number(const struct lea_conf *conf, const struct lea_conf_key *key)
{
	const void *field = (const char *)conf + key->offset;
	uint64_t number = 0;

	memcpy(&number, field,
	       key->width == sizeof(uint64_t) ? sizeof(uint64_t) : sizeof(uint32_t));
	/* pv_min_size is raised to lvm2's minimum. */
	CLAIM((int64_t)number >= key->min && (int64_t)number <= key->max);
}

static void check_list(const struct lea_list *list)
{
	CLAIM(list->defined || !list->count);
	for (uint32_t i = 0; i < list->count; i++)
		CLAIM(list->item[i] && strlen(list->item[i]) <= MOST_CHARS);
}

static void check(const struct lea_conf *conf)
{
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);

	for (uint32_t i = 0; i < count; i++)
		if (keys[i].type == LEA_CONF_NUMBER)
			check_number(conf, &keys[i]);
		else if (keys[i].type == LEA_CONF_LIST)
			check_list((const void *)((const char *)conf + keys[i].offset));
	CLAIM(!strchr(conf->devicesfile, '/'));
	CLAIM(conf->dev_dir && conf->locking_dir && conf->activation_mode);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	const uint8_t kind = fuzz_u8(&in) % 4;
	char *text = fuzz_rest(&in);
	const struct lea_conf_options options = {
		.config = kind == 2 ? text : NULL,
		.command_profile = kind == 2 ? "x" : NULL,
		.forgive = kind == 3,
	};
	const struct lea_conf *conf;
	int r;

	open_once();
	fuzz_fill(lvm_fd, text, kind == 0 ? strlen(text) : 0);
	fuzz_fill(own_fd, text, kind == 1 || kind == 3 ? strlen(text) : 0);
	r = lea_conf_read(fuzz_world(), &options, &conf);
	CLAIM(r >= 0 || r == -E2BIG);
	if (!r) {
		check(conf);
		lea_conf_free(conf);
	}
	free(text);
	return 0;
}
