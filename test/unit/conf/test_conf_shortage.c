/* SPDX-License-Identifier: GPL-2.0-or-later */
/* That no descriptor is left for one call is no sign that a setting has its default. */
#include "conf/conf.h"
#include "fake/no_descriptor.h"
#include "fake/tree.h"
#include "unit/suite.h"

#include <errno.h>
#include <string.h>

#define CALLS_MOST 20U
#define HOST	   "3d1219c7c4c5404aaa1f6d2a48adfda4"

static struct tree tree;

static void setup(void)
{
	tree_init(&tree);
}

static void teardown(void)
{
	calls_until_fault = 0;
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static bool is_of_host(const struct lea_conf *conf)
{
	return conf->system_id && !strcmp(conf->system_id, HOST);
}

static bool uses_devicesfile(const struct lea_conf *conf)
{
	return conf->use_devicesfile;
}

static bool has_own(const struct lea_conf *conf)
{
	return conf->incomplete.count == 1;
}

/* Rows: what the settings in the files say, and the file that one of them is in. */
static const struct {
	const char *claim, *lvm_conf, *path, *text;
	bool (*is)(const struct lea_conf *conf);
} rows[] = {
	{"the host's system ID", "global/system_id_source=\"machineid\"\n", "/etc/machine-id",
	 HOST "\n", is_of_host},
	{"the host's system ID, in a file of its own",
	 "global { system_id_source=\"file\" system_id_file=\"/etc/lvm/id\" }\n", "/etc/lvm/id",
	 HOST "\n", is_of_host},
	{"the devices file, by a default of the installed lvm", "",
	 "/run/lvm/event/lvm-defaults", "devices { use_devicesfile=1 }\n", uses_devicesfile},
	{"the devices file, by lvm.conf", "devices/use_devicesfile=1\n", "/etc/lvm/lvmlocal.conf",
	 "", uses_devicesfile},
	{"the devices file, by the file of a tag", "tags { t { } }\n", "/etc/lvm/lvm_t.conf",
	 "devices/use_devicesfile=1\n", uses_devicesfile},
	{"a setting of our own", "", "/etc/lvm/lvmevent.conf",
	 "event/incomplete=\"degraded\"\n", has_own},
};

TEST_EACH(what_cannot_be_read_now_is_no_setting, rows)
{
	const struct lea_conf_options options = {.forgive = true};
	unsigned int faults = 0;

	tree_put(&tree, "/etc/lvm/lvm.conf", rows[_i].lvm_conf);
	tree_put(&tree, rows[_i].path, rows[_i].text);
	for (unsigned int call = 0; call <= CALLS_MOST; call++) {
		const struct lea_conf *conf = NULL;
		int r;

		calls_until_fault = call;
		r = lea_conf_read(&tree.world, &options, &conf);
		calls_until_fault = 0;
		faults += r < 0;
		ck_assert_msg(r == -ENFILE || (!r && rows[_i].is(conf)), "%s, call %u: %d",
			      rows[_i].claim, call, r);
		lea_conf_free(conf);
	}
	ck_assert_uint_gt(faults, 1);
}
