/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* D10, D12 and D14: the VGs as a whole, now and at the last good boot. */
#include "doctor/check.h"

#include "base/append.h"
#include "base/id.h"
#include "base/order.h"
#include "plan/access.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METADATA_PERCENT  70U
#define METADATA_CRITICAL 90U
#define MDA_HEADER_BYTES  512U

/* ---- D10 */

/* The text is written beside the previous one, so the larger half of the area is its limit. */
static void check_area(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
		       const struct lea_doctor_report *report)
{
	const uint64_t limit =
		disk->mda_bytes > MDA_HEADER_BYTES ? (disk->mda_bytes - MDA_HEADER_BYTES) / 2 : 0;
	const uint64_t percent = limit ? disk->text_bytes * 100 / limit : 0;
	const struct lea_vg *vg = facts->vgs.vg[disk->vg].vg;
	char text[2][LEA_SIZE_BYTES];
	struct lea_doctor_finding finding;

	if (percent < METADATA_PERCENT)
		return;
	lea_doctor_begin(report, facts, percent >= METADATA_CRITICAL ? 2 : 1,
			 &(struct lea_doctor_about){.vg = vg}, &finding);
	finding.device = disk->name;
	finding.pvid = disk->pvid;
	finding.why = "when it is full, no LV can be made, extended or snapshotted any more";
	lea_size_format(disk->text_bytes, text[0]);
	lea_size_format(limit, text[1]);
	lea_doctor_evidence(&finding,
			    "its metadata has %s, %" PRIu64 " %% of what fits into the area of "
			    "%s (%s)",
			    text[0], percent, disk->name, text[1]);
	lea_next_set(&finding.next, LEA_LOOK("pvs -o name,vg_name,pv_mda_size,pv_mda_free $1"),
		     disk->name);
	lea_doctor_advice(&finding,
			  "add a disk with a larger area: vgextend --metadatasize 16m; then, "
			  "for each PV with a small area: pvchange --metadataignore y");
	lea_doctor_tell(report, &finding);
}

/* The smallest area of each VG decides; with areas of one size the first PV is as good as any. */
void lea_doctor_check_metadata(const struct lea_doctor_facts *facts,
			       struct lea_doctor_report *report)
{
	const struct lea_doctor_disk **least = calloc((size_t)facts->vgs.count + 1, sizeof(*least));

	for (uint32_t i = 0; least && i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];

		if (disk->is_pv && disk->vg != LEA_NONE && disk->mda_bytes && disk->text_bytes &&
		    (!least[disk->vg] || disk->mda_bytes < least[disk->vg]->mda_bytes))
			least[disk->vg] = disk;
	}
	for (uint32_t v = 0; least && v < facts->vgs.count; v++)
		if (least[v])
			check_area(facts, least[v], report);
	free(least);
}

/* ---- D12 */

/* A disk is slower if a read takes more than SLOWER_TIMES its old time, and more than the floor. */
#define SLOWER_TIMES 3U

static void check_complete(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			   const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;
	uint32_t missing = 0, first = 0;
	char id[39];

	for (uint32_t i = 0; i < vg->vg->pv_count; i++)
		if (vg->disk[i] == LEA_NONE) {
			first = missing++ ? first : i;
		}
	if (!missing)
		return;
	lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.vg = vg->vg}, &finding);
	finding.pvid = vg->vg->pvs[first].id;
	finding.why = "an event does not activate it at the next boot";
	lea_id_format(vg->vg->pvs[first].id, id);
	lea_doctor_evidence(&finding, "%u of its %u PVs %s not there: %s", missing,
			    vg->vg->pv_count, missing == 1 ? "is" : "are", id);
	if (missing > 1)
		lea_doctor_evidence(&finding, " and %u more", missing - 1);
	lea_next_set(&finding.next, LEA_LOOK("lvmevent explain $1"), vg->vg->name);
	lea_doctor_tell(report, &finding);
}

/* What is to be ended before, only a person knows. */
static void tell_lost(const struct lea_doctor_facts *facts, const struct lea_doctor_lost *lost,
		      const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.text = lost->name},
			 &finding);
	finding.vg = lost->vg;
	finding.lv = lost->lv;
	finding.why = "what is read from that disk or written to it fails, also when the disk "
		      "returns, for it returns as another device";
	lea_doctor_evidence(&finding, "it is active on a disk that has gone: %s", lost->disk);
	lea_next_set(&finding.next, LEA_LOOK("lvmevent explain $1"), lost->name);
	lea_doctor_advice(&finding, "when the disk is there again: unmount what is on the LV, "
				    "lvchange -an, lvchange -ay");
	lea_doctor_tell(report, &finding);
}

static int compare_disks(const void *a, const void *b)
{
	return strcmp((*(const struct lea_doctor_disk *const *)a)->pvid,
		      (*(const struct lea_doctor_disk *const *)b)->pvid);
}

/* Average time of a read: in the sample, or else since the boot. 0: too few reads, or not known. */
static uint64_t average_read_us(const struct lea_doctor_disk *disk)
{
	const struct lea_doctor_io *before = &disk->before, *after = &disk->after;

	if (!disk->has_io)
		return 0;
	if (after->reads - before->reads >= LEA_BOOT_READS_LEAST)
		return (after->read_ms - before->read_ms) * 1000 / (after->reads - before->reads);
	return after->reads >= LEA_BOOT_READS_LEAST ? after->read_ms * 1000 / after->reads : 0;
}

static void add_when(const struct lea_doctor_facts *facts, struct lea_doctor_finding *finding)
{
	if (facts->memory_when && facts->memory_when[0])
		lea_doctor_evidence(finding, " (remembered %s)", facts->memory_when);
}

static void compare_speed(const struct lea_doctor_facts *facts, const struct lea_boot_pv *pv,
			  const struct lea_doctor_disk *disk,
			  const struct lea_doctor_report *report)
{
	const uint64_t floor = disk->is_rotational == LEA_DOCTOR_NO
				       ? LEA_DOCTOR_SOLID_FLOOR_US
				       : LEA_DOCTOR_ROTATIONAL_FLOOR_US;
	const uint64_t now = average_read_us(disk);
	struct lea_doctor_finding finding;
	char time[2][LEA_SIZE_BYTES];

	if (!pv->read_us || now <= floor || now <= SLOWER_TIMES * (uint64_t)pv->read_us)
		return;
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.disk = disk}, &finding);
	finding.why = "a disk that becomes slow often fails soon";
	lea_doctor_time(now, time[0]);
	lea_doctor_time(pv->read_us, time[1]);
	lea_doctor_evidence(&finding, "%s a read on average, %s in the last good boot", time[0],
			    time[1]);
	add_when(facts, &finding);
	lea_next_set(&finding.next, LEA_LOOK("smartctl -x $1"), disk->name);
	lea_doctor_advise_move(&finding, disk);
	lea_doctor_tell(report, &finding);
}

static void compare_place(const struct lea_doctor_facts *facts, const struct lea_boot_vg *then,
			  const struct lea_boot_pv *pv, const struct lea_doctor_disk *disk,
			  const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;
	char address[2][128];

	if (!disk->address[0] || !pv->address[0] || !strcmp(disk->address, pv->address))
		return;
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.disk = disk}, &finding);
	finding.why = "a disk that was plugged in elsewhere, or a path that is lost, changes speed "
		      "and safety without a message";
	lea_access_plain(pv->address, address[0], sizeof(address[0]));
	lea_access_plain(disk->address, address[1], sizeof(address[1]));
	lea_doctor_evidence(&finding,
			    "in the last good boot this PV of %s was at %s, now it is at "
			    "%s",
			    then->name, address[0], address[1]);
	add_when(facts, &finding);
	lea_next_set(&finding.next, LEA_LOOK("lsblk -o NAME,SIZE,SERIAL,WWN,HCTL $1"), disk->name);
	lea_doctor_advice(&finding,
			  "if that is intended, nothing: the next good boot remembers it");
	lea_doctor_tell(report, &finding);
}

static void tell_gone(const struct lea_doctor_facts *facts, const struct lea_boot_vg *then,
		      const struct lea_boot_pv *pv, const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;
	char id[39], plain[64];

	lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.text = then->name},
			 &finding);
	finding.vg = then->name;
	finding.pvid = pv->pvid;
	finding.why = "the VG is gone with it: nothing else on this machine names it";
	lea_id_format(pv->pvid, id);
	lea_access_plain(pv->serial, plain, sizeof(plain));
	lea_doctor_evidence(&finding,
			    "its PV %s was there in the last good boot (%s%s%s), and is "
			    "not any more",
			    id, lea_boot_kind_name(pv->kind), plain[0] ? ", serial " : "", plain);
	lea_next_set(&finding.next, LEA_LOOK("lvmevent explain $1"), then->name);
	lea_doctor_tell(report, &finding);
}

static void compare_memory(const struct lea_doctor_facts *facts,
			   const struct lea_doctor_disk **disks, size_t count,
			   const struct lea_doctor_report *report)
{
	const char **ids = calloc((size_t)facts->vgs.count + 1, sizeof(*ids)), *id;
	struct lea_doctor_disk wanted;
	const struct lea_doctor_disk *key = &wanted, **found;

	for (uint32_t v = 0; ids && v < facts->vgs.count; v++)
		ids[v] = facts->vgs.vg[v].vg->id;
	if (ids)
		qsort(ids, facts->vgs.count, sizeof(*ids), lea_compare_text_at);
	for (uint32_t v = 0; ids && v < facts->memory->vg_count; v++) {
		const struct lea_boot_vg *then = &facts->memory->vg[v];

		id = then->id;
		for (uint32_t p = 0; p < then->pv_count; p++) {
			snprintf(wanted.pvid, sizeof(wanted.pvid), "%s", then->pv[p].pvid);
			found = bsearch(&key, disks, count, sizeof(*disks), compare_disks);
			if (found) {
				compare_place(facts, then, &then->pv[p], *found, report);
				compare_speed(facts, &then->pv[p], *found, report);
			} else if (!bsearch(&id, ids, facts->vgs.count, sizeof(*ids),
					    lea_compare_text_at)) {
				/* A VG of which some PV is there is told by check_complete. */
				tell_gone(facts, then, &then->pv[p], report);
			}
		}
	}
	free(ids);
}

void lea_doctor_check_drift(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	const struct lea_doctor_disk **disks =
		calloc((size_t)facts->disks.count + 1, sizeof(*disks));
	size_t count = 0;

	for (uint32_t v = 0; v < facts->vgs.count; v++)
		if (facts->vgs.vg[v].is_ours)
			check_complete(facts, &facts->vgs.vg[v], report);
	for (uint32_t i = 0; i < facts->vgs.lost_count; i++)
		tell_lost(facts, &facts->vgs.lost[i], report);
	if (!facts->memory)
		lea_doctor_not_known(report, "no boot is remembered: %s", facts->why_no_memory);
	for (uint32_t i = 0; disks && i < facts->disks.count; i++)
		if (facts->disks.disk[i].is_pv && facts->disks.disk[i].pvid[0])
			disks[count++] = &facts->disks.disk[i];
	if (count)
		qsort(disks, count, sizeof(*disks), compare_disks);
	if (disks && facts->memory)
		compare_memory(facts, disks, count, report);
	free(disks);
}

/* ---- D14 */

static int compare_names(const void *a, const void *b)
{
	const struct lea_vg *one = (*(const struct lea_doctor_vg *const *)a)->vg;
	const struct lea_vg *other = (*(const struct lea_doctor_vg *const *)b)->vg;

	return strcmp(one->name, other->name);
}

static void check_twice(const struct lea_doctor_facts *facts,
			const struct lea_doctor_report *report)
{
	const struct lea_doctor_vg **vgs = calloc((size_t)facts->vgs.count + 1, sizeof(*vgs));
	struct lea_doctor_finding finding;
	char id[2][39];

	for (uint32_t v = 0; vgs && v < facts->vgs.count; v++)
		vgs[v] = &facts->vgs.vg[v];
	if (vgs && facts->vgs.count)
		qsort(vgs, facts->vgs.count, sizeof(*vgs), compare_names);
	for (uint32_t v = 1; vgs && v < facts->vgs.count; v++) {
		if (strcmp(vgs[v]->vg->name, vgs[v - 1]->vg->name) != 0)
			continue;
		lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.vg = vgs[v]->vg},
				 &finding);
		finding.why = "commands by name refuse both, or take the wrong one";
		lea_id_format(vgs[v - 1]->vg->id, id[0]);
		lea_id_format(vgs[v]->vg->id, id[1]);
		lea_doctor_evidence(&finding, "two VGs have this name: %s and %s", id[0], id[1]);
		lea_next_set(&finding.next,
			     LEA_LOOK("vgs -o name,uuid,pv_name,systemid --select vg_name=$1"),
			     vgs[v]->vg->name);
		lea_doctor_advice(&finding,
				  "give one of them another name by its UUID: vgrename(8)");
		lea_doctor_tell(report, &finding);
	}
	free(vgs);
}

static void check_duplicates(const struct lea_doctor_facts *facts,
			     const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	for (uint32_t v = 0; v < facts->vgs.count; v++) {
		const struct lea_vg *vg = facts->vgs.vg[v].vg;

		if (!facts->vgs.vg[v].copies[0])
			continue;
		lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.vg = vg}, &finding);
		finding.why = "it is not clear which device is the right one: lvmevent activates "
			      "the VG by no event, lvm2 on one of them";
		lea_doctor_evidence(&finding, "one of its PVs is on two devices: %s",
				    facts->vgs.vg[v].copies);
		lea_next_set(&finding.next, LEA_LOOK("lvmevent explain $1"), vg->name);
		lea_doctor_tell(report, &finding);
	}
}

static void check_moved(const struct lea_doctor_facts *facts,
			const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	for (uint32_t v = 0; v < facts->vgs.count; v++) {
		const struct lea_vg *vg = facts->vgs.vg[v].vg;

		if (!facts->vgs.vg[v].moved[0])
			continue;
		lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.vg = vg}, &finding);
		finding.why = "who activates it by these metadata puts its LVs over those of the "
			      "other VG";
		lea_doctor_evidence(&finding, "%s", facts->vgs.vg[v].moved);
		lea_next_set(&finding.next, LEA_LOOK("lvmevent explain $1"), vg->name);
		lea_doctor_tell(report, &finding);
	}
}

static void tell_outdated(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
			  const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.disk = disk}, &finding);
	finding.why = "a copy of a disk, or a PV that was away while its VG changed: nothing of it "
		      "is activated, and the next change of the VG removes these metadata";
	lea_doctor_evidence(&finding, "its metadata are outdated: %s", disk->outdated);
	lea_next_set(&finding.next, LEA_LOOK("lvmevent explain $1"), disk->name);
	lea_doctor_tell(report, &finding);
}

/* A devices file leaves out the disks of others on purpose. */
static bool is_remembered(const struct lea_boot_memory *memory, const char *pvid)
{
	for (uint32_t v = 0; memory && v < memory->vg_count; v++)
		for (uint32_t p = 0; p < memory->vg[v].pv_count; p++)
			if (!strcmp(memory->vg[v].pv[p].pvid, pvid))
				return true;
	return false;
}

static void tell_hidden(const struct lea_doctor_facts *facts,
			const struct lea_doctor_hidden *hidden,
			const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.text = hidden->name},
			 &finding);
	finding.device = hidden->name;
	finding.pvid = hidden->pvid;
	finding.why = "its VG is incomplete or invisible until the devices file names it";
	lea_doctor_evidence(&finding, "it is a PV, but %s", hidden->why);
	lea_next_set(&finding.next, LEA_LOOK("lvm lvmdevices --check"));
	lea_doctor_advice(&finding, "if it belongs to this host, add it: lvmdevices(8)");
	lea_doctor_tell(report, &finding);
}

/* A PV on an LV: most likely the disk of a virtual machine. */
static void check_guest(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
			const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.disk = disk}, &finding);
	finding.why = "the VG may be a virtual machine's: if both use it, its file systems are "
		      "destroyed";
	lea_doctor_evidence(&finding, "this PV is on an LV, and devices/scan_lvs is 1");
	lea_next_set(&finding.next, LEA_LOOK("lvmconfig --type full devices/scan_lvs"));
	lea_doctor_advice(&finding, "in lvm.conf: devices { scan_lvs = 0 }");
	lea_doctor_tell(report, &finding);
}

void lea_doctor_check_names(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	check_twice(facts, report);
	check_duplicates(facts, report);
	check_moved(facts, report);
	for (uint32_t i = 0; i < facts->disks.hidden_count; i++)
		if (is_remembered(facts->memory, facts->disks.hidden[i].pvid))
			tell_hidden(facts, &facts->disks.hidden[i], report);
	for (uint32_t i = 0; i < facts->disks.count; i++) {
		if (facts->disks.disk[i].lies_on_lv)
			check_guest(facts, &facts->disks.disk[i], report);
		if (facts->disks.disk[i].is_outdated)
			tell_outdated(facts, &facts->disks.disk[i], report);
	}
}
