/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * D16: volumes of an orchestrator that replicates them (LINSTOR, DRBD). LINSTOR names a volume
 * RESOURCE_NNNNN, and its metadata on another pool RESOURCE.meta_NNNNN.
 */
#include "doctor/check.h"

#include "base/append.h"
#include "doctor/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_CHARS 5U
#define META	     ".meta"

/* The length of the resource's name in a volume's; 0: the name was not made by LINSTOR. */
static size_t resource_chars(const char *name, bool *ret_is_meta)
{
	const size_t length = strlen(name);
	size_t chars;

	if (length < NUMBER_CHARS + 2 || name[length - NUMBER_CHARS - 1] != '_')
		return 0;
	for (size_t i = length - NUMBER_CHARS; i < length; i++)
		if (!isdigit((unsigned char)name[i]))
			return 0;
	chars = length - NUMBER_CHARS - 1;
	*ret_is_meta =
		chars > strlen(META) && !strncmp(name + chars - strlen(META), META, strlen(META));
	return *ret_is_meta ? chars - strlen(META) : chars;
}

/* What the volumes of a VG are. */
enum use { USE_NONE, USE_DATA, USE_METADATA };

static enum use use_of(const struct lea_vg *vg)
{
	enum use use = USE_NONE;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		bool is_meta = false;

		if (!lea_lv_is_visible(&vg->lvs[i]) || !resource_chars(vg->lvs[i].name, &is_meta))
			continue;
		if (is_meta)
			return USE_METADATA;
		use = USE_DATA;
	}
	return use;
}

/* ---- data and metadata on one disk */

struct owner {
	const struct lea_doctor_disk *disk;
	enum use use;
	uint32_t vg;
};

static int compare_owners(const void *a, const void *b)
{
	const struct owner *one = a, *other = b;
	const int order = strcmp(one->disk->kernel, other->disk->kernel);

	return order ? order : (int)one->use - (int)other->use;
}

static void tell_shared(const struct lea_doctor_facts *facts, const struct owner *data,
			const struct owner *metadata, const struct lea_doctor_report *report)
{
	const struct lea_vg *vg = facts->vgs.vg[metadata->vg].vg;
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.vg = vg}, &finding);
	finding.device = metadata->disk->name;
	finding.pvid = metadata->disk->pvid;
	finding.why =
		"each write is followed by one of DRBD's metadata: both wait for the same disk";
	lea_doctor_evidence(&finding, "DRBD's metadata in it and the data in %s share the disk %s",
			    facts->vgs.vg[data->vg].vg->name, metadata->disk->kernel);
	lea_next_set(&finding.next, LEA_LOOK("lvs -a -o +devices $1"), vg->name);
	lea_doctor_advice(&finding, "move the metadata to a disk of its own: pvmove(8)");
	lea_doctor_tell(report, &finding);
}

static void check_shared(const struct lea_doctor_facts *facts, const enum use *uses,
			 const struct lea_doctor_report *report)
{
	struct owner *owners = calloc((size_t)facts->disks.count + 1, sizeof(*owners));
	size_t count = 0;

	for (uint32_t i = 0; owners && i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];

		if (disk->vg != LEA_NONE && uses[disk->vg] && disk->kernel[0])
			owners[count++] = (struct owner){disk, uses[disk->vg], disk->vg};
	}
	if (count)
		qsort(owners, count, sizeof(*owners), compare_owners);
	for (size_t i = 1; i < count; i++)
		if (!strcmp(owners[i].disk->kernel, owners[i - 1].disk->kernel) &&
		    owners[i - 1].use == USE_DATA && owners[i].use == USE_METADATA)
			tell_shared(facts, &owners[i - 1], &owners[i], report);
	free(owners);
}

/* ---- the others */

static void check_snapshots(const struct lea_doctor_facts *facts, const struct lea_vg *vg,
			    const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->lvs[i];

		if (!lv->snapshots)
			continue;
		lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.vg = vg, .lv = lv},
				 &finding);
		finding.why = "each write of the replica waits for the copy of the snapshot, and "
			      "with it the writes of all nodes";
		lea_doctor_evidence(&finding, "a volume that is replicated has a thick snapshot");
		lea_next_set(&finding.next, LEA_LOOK("lvs -a -o +origin,snap_percent $1"),
			     vg->name);
		lea_doctor_advice(&finding, "use a thin pool for volumes that get snapshots");
		lea_doctor_tell(report, &finding);
	}
}

static void check_flushes(const struct lea_doctor_facts *facts, const enum use *uses,
			  const struct lea_doctor_report *report)
{
	static const char *const options[] = {"disk-flushes", "md-flushes"};
	const struct lea_doctor_disk *cached = NULL;
	struct lea_doctor_finding finding;
	bool has_names = false;

	for (uint32_t v = 0; v < facts->vgs.count; v++)
		has_names |= uses[v] != USE_NONE;
	for (uint32_t i = 0; i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];

		/* Without names of LINSTOR any PV may be below DRBD. */
		if (disk->vg != LEA_NONE && (!has_names || uses[disk->vg]) &&
		    (disk->is_scsi ? disk->disk_cache : disk->kernel_cache) == LEA_DOCTOR_CACHE_ON)
			cached = disk;
	}
	for (size_t i = 0; cached && i < ARRAY_SIZE(options); i++) {
		if (!lea_doctor_parse_drbd_off(facts->drbd.settings, options[i]))
			continue;
		lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.disk = cached},
				 &finding);
		finding.why = "what DRBD has confirmed may be lost with the power, unless the "
			      "disk's cache is protected";
		lea_doctor_evidence(&finding, "DRBD is set to %s no, but the disk caches writes",
				    options[i]);
		lea_next_set(&finding.next, LEA_LOOK("drbdsetup show"));
		lea_doctor_advice(&finding,
				  "remove \"%s no\" from the resource's settings, then: "
				  "drbdadm adjust all",
				  options[i]);
		lea_doctor_tell(report, &finding);
	}
}

static void check_scanned(const struct lea_doctor_facts *facts,
			  const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	if (!facts->drbd.scanned[0])
		return;
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.text = facts->drbd.scanned},
			 &finding);
	finding.device = facts->drbd.scanned;
	finding.why = "LVM opens replicated devices, waits for those that are secondary, and may "
		      "activate the VG of a virtual machine on them";
	lea_doctor_evidence(&finding, "LVM's filters let DRBD's devices through");
	lea_next_set(&finding.next, LEA_LOOK("lvmconfig --type full devices/global_filter"));
	lea_doctor_advice(&finding,
			  "in lvm.conf: devices { global_filter = [ \"r|^/dev/drbd|\" ] }");
	lea_doctor_tell(report, &finding);
}

static void check_cluster(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			  const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	if (!vg->is_cluster || (vg->vg->flags & LEA_FLAG_NOAUTOACTIVATE) || !vg->is_ours)
		return;
	lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.vg = vg->vg}, &finding);
	finding.why = "two nodes that activate it at the same time destroy its file systems";
	lea_doctor_evidence(&finding, "a cluster manager activates it, but events do, too: its "
				      "autoactivation property is on");
	lea_next_set(&finding.next, LEA_CHANGE("vgchange --setautoactivation n $1"), vg->vg->name);
	lea_doctor_tell(report, &finding);
}

void lea_doctor_check_drbd(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	enum use *uses = calloc((size_t)facts->vgs.count + 1, sizeof(*uses));

	for (uint32_t v = 0; uses && v < facts->vgs.count; v++) {
		uses[v] = use_of(facts->vgs.vg[v].vg);
		if (uses[v] && facts->drbd.is_there)
			check_snapshots(facts, facts->vgs.vg[v].vg, report);
		check_cluster(facts, &facts->vgs.vg[v], report);
	}
	if (uses)
		check_shared(facts, uses, report);
	if (uses && facts->drbd.has_settings)
		check_flushes(facts, uses, report);
	free(uses);
	check_scanned(facts, report);
	if (facts->drbd.is_there && !facts->drbd.has_settings)
		lea_doctor_not_known(report, facts->drbd.tool_is_absent
						     ? "drbdsetup is not installed"
						     : "drbdsetup has not answered in time");
}
