/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "memory/device_spec.h"

#include <stdio.h>
#include <string.h>

#include "base/devname.h"
#include "base/id.h"
#include "memory/boot_memory.h"

bool lea_spec_cut(const char *text, struct lea_spec *ret_spec)
{
	const char *slash = strchr(text, '/');

	*ret_spec = (struct lea_spec){.kind = LEA_SPEC_LV};
	if (!slash || (size_t)(slash - text) >= sizeof(ret_spec->vg) ||
	    strlen(slash + 1) >= sizeof(ret_spec->lv))
		return false;
	snprintf(ret_spec->vg, sizeof(ret_spec->vg), "%.*s", (int)(slash - text), text);
	snprintf(ret_spec->lv, sizeof(ret_spec->lv), "%s", slash + 1);
	return lea_name_ok(ret_spec->vg) && lea_name_ok(ret_spec->lv);
}

bool lea_spec_parse_ids(const char *uuid, char ret_vg_id[static 33], char ret_lv_id[static 33])
{
	const char *ids = lea_after(uuid, "LVM-");

	if (!ids || strlen(ids) != 64)
		return false;
	snprintf(ret_vg_id, 33, "%.32s", ids);
	snprintf(ret_lv_id, 33, "%.32s", ids + 32);
	return lea_id_ok(ret_vg_id) && lea_id_ok(ret_lv_id);
}

/* A disk or its partition. Names that device-mapper, MD, bcache or a loop may have do not count. */
static bool is_kernels_disk(const char *below)
{
	static const char *const drivers[] = {"sd",   "vd",   "xvd",	"hd",
					      "nvme", "dasd", "mmcblk", "pmem"};
	size_t i = 0;

	while (i < ARRAY_SIZE(drivers) && !lea_after(below, drivers[i]))
		i++;
	return i < ARRAY_SIZE(drivers) &&
	       !below[strspn(below, "abcdefghijklmnopqrstuvwxyz0123456789")];
}

/* "server:/export", "//server/share". Forms such as "live:/dev/sr0" name a device. */
static bool is_network(const char *text)
{
	const char *colon = strstr(text, ":/");

	return lea_after(text, "//") || (*text != '/' && colon && !lea_after(colon + 1, "/dev/"));
}

static void parse_path(const char *below, struct lea_spec *spec)
{
	const char *uuid = lea_after(below, "disk/by-id/dm-uuid-");
	char name[sizeof(spec->value)];

	if (lea_devname_lv(below, name, sizeof(name)) && lea_spec_cut(name, spec))
		return;
	*spec = (struct lea_spec){.kind = LEA_SPEC_DOUBT};
	if (is_kernels_disk(below))
		spec->kind = LEA_SPEC_ELSEWHERE;
	else if (uuid && lea_spec_parse_ids(uuid, spec->vg_id, spec->lv_id))
		spec->kind = LEA_SPEC_IDS;
	else
		*spec = (struct lea_spec){.kind = LEA_SPEC_DOUBT};
}

static bool parse_value(const char *text, struct lea_spec *spec)
{
	static const struct {
		const char *tag, *folder; /* of links that udev makes, with names that it encodes */
	} forms[] = {
		[LEA_SPEC_UUID] = {"UUID=", "/dev/disk/by-uuid/"},
		[LEA_SPEC_LABEL] = {"LABEL=", "/dev/disk/by-label/"},
		[LEA_SPEC_PARTUUID] = {"PARTUUID=", "/dev/disk/by-partuuid/"},
		[LEA_SPEC_PARTLABEL] = {"PARTLABEL=", "/dev/disk/by-partlabel/"},
	};
	const char *value = NULL;
	size_t i = LEA_SPEC_UUID;

	while (i < ARRAY_SIZE(forms) && !(value = lea_after(text, forms[i].tag)) &&
	       !(value = lea_after(text, forms[i].folder)))
		i++;
	if (!value || strlen(value) >= sizeof(spec->value))
		return false;
	spec->kind = (enum lea_spec_kind)i;
	snprintf(spec->value, sizeof(spec->value), "%s", value);
	return *text != '/' || lea_boot_memory_decode(spec->value);
}

void lea_spec_parse(const char *text, struct lea_spec *ret_spec)
{
	const char *below = lea_devname_below(text);
	struct lea_spec spec = {.kind = LEA_SPEC_DOUBT};

	if (parse_value(text, &spec)) {
		*ret_spec = spec;
		return;
	}
	spec = (struct lea_spec){.kind = is_network(text) ? LEA_SPEC_ELSEWHERE : LEA_SPEC_DOUBT};
	if (below)
		parse_path(below, &spec);
	*ret_spec = spec;
}

#define PATH_BYTES 4096U

static int call(const char *text, size_t chars, int (*each)(void *arg, const char *source),
		void *arg)
{
	char source[PATH_BYTES];

	if (!chars || chars >= sizeof(source))
		return 0;
	snprintf(source, sizeof(source), "%.*s", (int)chars, text);
	return each(arg, source);
}

int lea_spec_each_source(const char *source, int (*each)(void *arg, const char *source), void *arg)
{
	const char *next;
	int r = 0;

	while (!r && *source == '/' && (next = strstr(source, ":/dev/"))) {
		r = call(source, (size_t)(next - source), each, arg);
		source = next + 1;
	}
	return r || !*source ? r : each(arg, source);
}

int lea_spec_each_key(const char *key, int (*each)(void *arg, const char *source), void *arg)
{
	int r = 0;

	for (size_t chars; !r && *key; key += chars + (key[chars] == ':')) {
		chars = strcspn(key, ":");
		r = call(key, chars, each, arg);
	}
	return r;
}

static int call_option(const char *option, int (*each)(void *arg, const char *source), void *arg)
{
	static const char *const keys[] = {"device=", "journal_path=", "logdev=", "rtdev=",
					   "x-systemd.requires="};
	const char *value = lea_after(option, "header=");

	if (value)
		return lea_spec_each_key(value, each, arg);
	for (size_t i = 0; i < ARRAY_SIZE(keys) && !value; i++)
		value = lea_after(option, keys[i]);
	return value && *value ? each(arg, value) : 0;
}

int lea_spec_each_option(const char *options, int (*each)(void *arg, const char *source), void *arg)
{
	char option[PATH_BYTES];
	int r = 0;

	for (size_t chars; !r && *options; options += chars + (options[chars] == ',')) {
		chars = strcspn(options, ",");
		if (chars >= sizeof(option))
			continue;
		snprintf(option, sizeof(option), "%.*s", (int)chars, options);
		r = call_option(option, each, arg);
	}
	return r;
}
