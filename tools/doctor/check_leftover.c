/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* D7: what is not used. No step removes anything: it may be in use, or data. */
#include "doctor/check.h"

#include "base/append.h"
#include "disk/segments.h"
#include "disk/segtype.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MOST	   5U
#define META		   "_meta"
#define DAY_S		   86400U
#define METADATA_TIMES	   8U
#define METADATA_BIG_BYTES (1ULL << 30)
#define BYTES_PER_CHUNK	   64U
/* udev and LVM read so much of each LV by themselves. */
#define PROBE_READS_MOST   256U

static bool ends_in(const char *name, const char *end)
{
	const size_t length = strlen(name), chars = strlen(end);

	return length > chars && !strcmp(name + length - chars, end);
}

static bool is_spare(const struct lea_lv *lv)
{
	return ends_in(lv->name, "_pmspare");
}

static bool is_pool(const struct lea_lv *lv)
{
	const enum lea_family family = lea_lv_family(lv);

	return family == LEA_FAMILY_THIN_POOL || family == LEA_FAMILY_CACHE_POOL;
}

/* "pool_meta0", as lvm2's repair of a pool leaves the old metadata. */
static bool is_old_metadata(const struct lea_vg *vg, const char *name)
{
	const size_t length = strlen(name);
	size_t chars = length;

	while (chars && isdigit((unsigned char)name[chars - 1]))
		chars--;
	if (chars == length || chars <= strlen(META) ||
	    strncmp(name + chars - strlen(META), META, strlen(META)) != 0)
		return false;
	chars -= strlen(META);
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (is_pool(&vg->lvs[i]) && strlen(vg->lvs[i].name) == chars &&
		    !strncmp(vg->lvs[i].name, name, chars))
			return true;
	return false;
}

static void tell_lv(const struct lea_doctor_facts *facts, const struct lea_vg *vg,
		    const struct lea_lv *lv, const struct lea_doctor_report *report,
		    const char *what)
{
	struct lea_doctor_finding finding;
	char size[LEA_SIZE_BYTES], name[260];

	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.vg = vg, .lv = lv},
			 &finding);
	finding.why = "it takes room, and a leftover is easily mistaken for data";
	lea_size_format(lea_doctor_lv_bytes(vg, lv), size);
	lea_doctor_evidence(&finding, "%s, %s", size, what);
	snprintf(name, sizeof(name), "%.127s/%.127s", vg->name, lv->name);
	lea_next_set(&finding.next, LEA_LOOK("lvs -a -o +lv_time,devices $1"), name);
	lea_doctor_tell(report, &finding);
}

/* ---- pools */

static void check_metadata_size(const struct lea_doctor_facts *facts, const struct lea_vg *vg,
				const struct lea_lv *pool, const struct lea_doctor_report *report)
{
	const struct lea_seg_thin_pool *seg = pool->seg[0].own.thin_pool;
	const uint64_t data = lea_doctor_lv_bytes(vg, &vg->lvs[seg->data]);
	const uint64_t metadata = lea_doctor_lv_bytes(vg, &vg->lvs[seg->metadata]);
	const uint64_t need =
		seg->chunk_sectors ? data / (seg->chunk_sectors * 512ULL) * BYTES_PER_CHUNK : 0;
	char text[2][LEA_SIZE_BYTES];
	struct lea_doctor_finding finding;

	if (metadata < METADATA_BIG_BYTES || metadata / METADATA_TIMES < need)
		return;
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.vg = vg, .lv = pool},
			 &finding);
	finding.why = "the room could hold data, and a check of the metadata takes longer";
	lea_size_format(metadata, text[0]);
	lea_size_format(need, text[1]);
	lea_doctor_evidence(&finding, "its metadata LV has %s, but needs no more than %s", text[0],
			    text[1]);
	lea_next_set(&finding.next, LEA_LOOK("lvs -a -o +lv_metadata_size,metadata_percent $1"),
		     vg->name);
	lea_doctor_advice(&finding, "for a smaller one the pool has to be made again: lvmthin(7)");
	lea_doctor_tell(report, &finding);
}

/* Sets in @used which LVs are pools that some LV uses. */
static void mark_pools(const struct lea_vg *vg, bool *used)
{
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_lv_family(&vg->lvs[i]) == LEA_FAMILY_THIN)
			used[vg->lvs[i].seg[0].own.thin->pool] = true;
}

static void check_hidden(const struct lea_doctor_facts *facts, const struct lea_vg *vg,
			 const bool *used, const struct lea_doctor_report *report)
{
	bool has_pool = false;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		has_pool |= is_pool(&vg->lvs[i]);
		if (lea_lv_family(&vg->lvs[i]) != LEA_FAMILY_THIN_POOL)
			continue;
		/* A pool is made before its first volume. */
		if (!used[i] && facts->machine.uptime_s >= DAY_S)
			tell_lv(facts, vg, &vg->lvs[i], report, "a pool without volumes");
		check_metadata_size(facts, vg, &vg->lvs[i], report);
	}
	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->lvs[i];

		if (is_spare(lv)) {
			if (!has_pool)
				tell_lv(facts, vg, lv, report,
					"spare metadata, but the VG has no pool");
		} else if (!(lv->flags & (LEA_FLAG_VISIBLE | LEA_FLAG_PVMOVE)) &&
			   lv->role == LEA_ROLE_NONE && lv->user == LEA_NONE) {
			tell_lv(facts, vg, lv, report, "a hidden LV that no LV uses");
		}
	}
}

/* ---- LVs that are never opened */

static bool is_unused(const struct lea_doctor_lv *state, const struct lea_lv *lv)
{
	return state->is_active && lea_lv_is_visible(lv) && lv->role == LEA_ROLE_NONE &&
	       !lv->snapshots && !state->is_needed && state->open_count == 0 && state->has_io &&
	       !state->io.writes && state->io.reads <= PROBE_READS_MOST &&
	       lea_lv_family(lv) != LEA_FAMILY_THIN_POOL;
}

static void check_unused(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			 const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;
	uint32_t count = 0;
	uint64_t bytes = 0;
	char size[LEA_SIZE_BYTES];

	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.vg = vg->vg}, &finding);
	finding.why = "it takes room; a volume that was left behind is easily mistaken for data";
	for (uint32_t i = 0; i < vg->vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->vg->lvs[i];

		if (!is_unused(&vg->lv[i], lv))
			continue;
		if (is_old_metadata(vg->vg, lv->name)) {
			tell_lv(facts, vg->vg, lv, report, "no LV uses it, not opened since boot");
			continue;
		}
		if (count++ < NAMED_MOST)
			lea_doctor_evidence(&finding, "%s%s", count > 1 ? ", " : "", lv->name);
		bytes += lea_doctor_lv_bytes(vg->vg, lv);
	}
	if (!count || facts->machine.uptime_s < DAY_S)
		return;
	if (count > NAMED_MOST)
		lea_doctor_evidence(&finding, " and %u more", count - NAMED_MOST);
	lea_size_format(bytes, size);
	lea_doctor_evidence(&finding, " (%s): not opened since boot, and not in fstab or crypttab",
			    size);
	lea_next_set(&finding.next, LEA_LOOK("lvs -o +lv_time $1"), vg->vg->name);
	lea_doctor_tell(report, &finding);
}

/* ---- nodes and PVs */

static void check_links(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	for (uint32_t i = 0; i < vg->vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->vg->lvs[i];

		if (vg->lv[i].is_active || !vg->lv[i].has_link || !lea_lv_is_visible(lv))
			continue;
		lea_doctor_begin(report, facts, 1,
				 &(struct lea_doctor_about){.vg = vg->vg, .lv = lv}, &finding);
		finding.why = "a program that writes to the name makes a plain file there";
		lea_doctor_evidence(&finding, "it is not active, but /dev/%s/%s is there",
				    vg->vg->name, lv->name);
		lea_next_set(&finding.next, LEA_CHANGE("vgscan --mknodes"));
		lea_doctor_tell(report, &finding);
	}
}

static void check_nodes(const struct lea_doctor_facts *facts,
			const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	for (uint32_t i = 0; i < facts->vgs.node_count; i++) {
		const struct lea_doctor_node *node = &facts->vgs.node[i];
		const struct lea_vg *vg = facts->vgs.vg[node->vg].vg;

		lea_doctor_begin(report, facts, 1,
				 &(struct lea_doctor_about){.vg = vg, .text = node->name},
				 &finding);
		finding.why = "it keeps its disks in use, and may write where another LV is now";
		lea_doctor_evidence(&finding, "a device of VG %s (%s), but not of one of its LVs",
				    vg->name, node->kernel);
		lea_next_set(&finding.next, LEA_LOOK("dmsetup info $1"), node->name);
		lea_doctor_tell(report, &finding);
	}
}

static void check_orphans(const struct lea_doctor_facts *facts,
			  const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	for (uint32_t i = 0; i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];

		if (!disk->is_orphan)
			continue;
		lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.disk = disk},
				 &finding);
		finding.why = "its space is unused";
		lea_doctor_evidence(&finding, "a PV of no VG");
		lea_next_set(&finding.next, LEA_LOOK("pvs $1"), disk->name);
		lea_doctor_tell(report, &finding);
	}
}

void lea_doctor_check_leftovers(const struct lea_doctor_facts *facts,
				struct lea_doctor_report *report)
{
	for (uint32_t v = 0; v < facts->vgs.count; v++) {
		const struct lea_doctor_vg *vg = &facts->vgs.vg[v];
		bool *used;

		if (!vg->is_ours)
			continue;
		used = calloc((size_t)vg->vg->lv_count + 1, sizeof(*used));
		if (!used)
			return;
		mark_pools(vg->vg, used);
		check_hidden(facts, vg->vg, used, report);
		free(used);
		check_unused(facts, vg, report);
		check_links(facts, vg, report);
	}
	check_nodes(facts, report);
	check_orphans(facts, report);
}
