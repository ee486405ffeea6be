/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which disks an administrator lets lvm use: the filter in lvm.conf, and the devices file. */
#include "sim/machine_private.h"

#include <stdio.h>
#include <string.h>

static uint32_t rejected_names; /* bit mask of indexes */
static bool has_list;		/* a devices file */
static struct {
	bool is_listed, by_name;
	uint32_t index;
	char wwid[64], pvid[33];
} list[SIM_DISKS];

/* The name of an entry without a PVID may be another disk's after a reboot. */
static bool is_listed_by_name(const struct sim_unit *unit, uint32_t i)
{
	return list[i].pvid[0] ? unit->on.is_pv && !strcmp(list[i].pvid, unit->on.pvid)
			       : list[i].index == unit->index;
}

static bool is_listed(const struct sim_unit *unit)
{
	for (uint32_t i = 0; i < SIM_DISKS; i++) {
		if (!list[i].is_listed)
			continue;
		if (list[i].by_name ? is_listed_by_name(unit, i)
				    : unit->wwid[0] && !strcmp(list[i].wwid, unit->wwid))
			return true;
	}
	return false;
}

/* Where a devices file has entries by name, events read each disk, and its PVID is enough. */
static bool is_listed_by_pvid(const struct sim_unit *unit)
{
	bool has_names = false, has_pvid = false;

	for (uint32_t i = 0; i < SIM_DISKS; i++) {
		has_names |= list[i].is_listed && list[i].by_name;
		has_pvid |=
			list[i].is_listed && unit->on.is_pv && !strcmp(list[i].pvid, unit->on.pvid);
	}
	return has_names && has_pvid && !is_listed(unit);
}

/* The name of an entry says nothing where the disk that has it carries another PV than the entry. */
static bool has_own_name(const struct sim_unit *unit, uint32_t i)
{
	return list[i].index == unit->index &&
	       (!list[i].pvid[0] || (unit->on.is_pv && !strcmp(list[i].pvid, unit->on.pvid)));
}

/* By an id or a name of its own; else by the PVID of an entry by name, for which lvm2 searches
 * disks without an id only. */
static uint32_t listing(const struct sim_unit *unit)
{
	bool is_own = !has_list;

	for (uint32_t i = 0; i < SIM_DISKS; i++)
		is_own |= list[i].is_listed && list[i].by_name
				  ? has_own_name(unit, i)
				  : list[i].is_listed && *unit->wwid &&
					    !strcmp(list[i].wwid, unit->wwid);
	return is_own ? 0 : *unit->wwid ? 2 : 1;
}

void sim_judge(void)
{
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++) {
		struct sim_unit *unit = &sim_unit[disk];

		unit->is_rejected = has_list ? !is_listed(unit)
					     : unit->is_there && rejected_names >> unit->index & 1;
		unit->is_listed_by_pvid = has_list && is_listed_by_pvid(unit);
		unit->listing = listing(unit);
	}
}

static void write_conf(void)
{
	char filter[512] = "", path[128];
	size_t used = 0;

	for (uint32_t index = 0; index < 26; index++)
		if (rejected_names >> index & 1)
			used += (size_t)snprintf(filter + used, sizeof(filter) - used,
						 "\"r|^/dev/sd%c$|\", ", 'a' + (int)index);
	snprintf(path, sizeof(path), "/etc/lvm/lvm.conf.new");
	sim_put(path,
		"devices {\n\tuse_devicesfile = %d\n%s%s%s}\n"
		"global {\n\tsystem_id_source = \"lvmlocal\"\n\tnotify_dbus = 0\n}\n"
		"activation {\n\tmonitoring = 0\n}\nlocal {\n\tsystem_id = \"here\"\n}\n",
		has_list, used && !has_list ? "\tfilter = [ " : "", has_list ? "" : filter,
		/* The links of a disk would be accepted, and one accepted name is enough. */
		used && !has_list ? "\"r|^/dev/disk/|\", \"a|.*|\" ]\n" : "");
	{
		struct sim_proc *proc = sim_outside();

		sim_tree_rename(sim_tree_root(), path, sim_tree_root(), "/etc/lvm/lvm.conf", true);
		sim_inside(proc);
	}
}

static void write_list(void)
{
	char text[2048];
	size_t used;

	used = (size_t)snprintf(text, sizeof(text),
				"# LVM uses devices listed in this file.\n"
				"VERSION=1.1.%u\n",
				1 + sim_draw(1000));
	for (uint32_t i = 0; i < SIM_DISKS; i++) {
		if (!list[i].is_listed)
			continue;
		if (list[i].by_name)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used,
				"IDTYPE=devname IDNAME=/dev/sd%c DEVNAME=/dev/sd%c "
				"PVID=%s\n",
				'a' + (int)list[i].index, 'a' + (int)list[i].index,
				list[i].pvid[0] ? list[i].pvid : ".");
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "IDTYPE=sys_wwid IDNAME=%s DEVNAME=/dev/sd%c "
						 "PVID=%s\n",
						 list[i].wwid, 'a' + (int)list[i].index,
						 list[i].pvid[0] ? list[i].pvid : ".");
	}
	sim_unlink("/etc/lvm/devices/system.devices");
	if (has_list)
		sim_put("/etc/lvm/devices/system.devices", "%s", text);
}

void sim_settings_list(uint32_t mask, uint32_t by_name)
{
	has_list = false;
	for (uint32_t i = 0; i < SIM_DISKS; i++) {
		const struct sim_unit *unit = &sim_unit[i];

		list[i].is_listed = mask >> i & 1 && unit->instance;
		if (!list[i].is_listed)
			continue;
		has_list = true;
		list[i].by_name = by_name >> i & 1 || !unit->wwid[0];
		list[i].index = unit->index;
		snprintf(list[i].wwid, sizeof(list[i].wwid), "%s", unit->wwid);
		snprintf(list[i].pvid, sizeof(list[i].pvid), "%s",
			 unit->on.is_pv ? unit->on.pvid : "");
	}
	write_list();
	write_conf();
}

void sim_settings_reject(uint32_t index, bool is_rejected)
{
	if (is_rejected)
		rejected_names |= 1U << index;
	else
		rejected_names &= ~(1U << index);
	write_conf();
}

void sim_settings_reset(void)
{
	memset(list, 0, sizeof(list));
	rejected_names = 0;
	has_list = false;
	write_list();
	write_conf();
}
