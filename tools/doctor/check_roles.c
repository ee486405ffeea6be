/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* D2 and D11: which parts of an LV lie on which kind of disk. */
#include "doctor/check.h"

#include "base/append.h"
#include "disk/segments.h"
#include "disk/segtype.h"

#include <string.h>

#define PIECES_LIMIT 50U

/* ---- D2 */

/* A part that all requests of an LV pass through, and the part with the LV's data. */
struct pair {
	uint32_t lv, part, data; /* indexes into vg->lvs */
	const char *role;	 /* "its metadata" */
};

struct hot_spots {
	const struct lea_doctor_facts *facts;
	const struct lea_doctor_vg *vg;
	const struct lea_doctor_report *report;
};

/* How the disks of the part are worse than those of the data: the bit; -1: they are not. */
static int worse_in(const struct lea_doctor_lies *part, const struct lea_doctor_lies *data)
{
	static const int order[] = {2, 0, 1, 3}; /* failing, late, slow, rotational */

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (part->with[order[i]] && data->areas && !data->with[order[i]] &&
		    (order[i] != 3 || data->solid == data->areas))
			return order[i];
	return -1;
}

static void say_disk(const struct hot_spots *to, struct lea_doctor_finding *finding,
		     const struct lea_doctor_disk *disk, const char *symptom)
{
	const struct lea_doctor_judged *judged =
		disk ? lea_doctor_judgement(to->report, to->facts, disk) : NULL;
	char time[LEA_SIZE_BYTES];

	lea_doctor_evidence(finding, "%s (%s", disk ? disk->name : "a missing PV", symptom);
	if (judged && judged->await_us != LEA_DOCTOR_UNKNOWN) {
		lea_doctor_time(judged->await_us, time);
		lea_doctor_evidence(finding, ", %s a %s", time,
				    judged->await_is_write ? "write" : "read");
	}
	lea_doctor_evidence(finding, ")");
}

static void tell_hot_spot(const struct hot_spots *to, const struct pair *pair, int bit,
			  const struct lea_doctor_lies *part, const struct lea_doctor_lies *data)
{
	static const char *const symptom[] = {"does not answer in time", "slow", "reports errors",
					      "rotational"};
	const struct lea_vg *vg = to->vg->vg;
	const struct lea_doctor_disk *slow = part->first[bit], *fast;
	struct lea_doctor_finding finding;

	lea_doctor_begin(to->report, to->facts, bit == 2 || bit == 0 ? 2 : 1,
			 &(struct lea_doctor_about){.vg = vg, .lv = &vg->lvs[pair->lv]}, &finding);
	finding.device = slow->name;
	finding.pvid = slow->pvid;
	finding.why = "every request waits for the slowest part: the LV is as slow as this disk, "
		      "and fails with it";
	lea_doctor_evidence(&finding, "%s is on ", pair->role);
	say_disk(to, &finding, slow, symptom[bit]);
	lea_doctor_evidence(&finding, ", its data on ");
	say_disk(to, &finding, data->any, data->solid == data->areas ? "solid state" : "without fault");
	fast = lea_doctor_fast_pv(to->report, to->facts, to->vg, vg->lvs[pair->part].extent_count);
	if (fast)
		lea_next_set(&finding.next, LEA_CHANGE("pvmove -n $1 $2 $3"),
			     vg->lvs[pair->part].name, slow->name, fast->name);
	else
		lea_next_set(&finding.next, LEA_LOOK("lvs -a -o +devices $1"), vg->name);
	if (!fast)
		lea_doctor_advice(&finding, "add a fast disk, and move %s to it: pvmove(8)",
				  vg->lvs[pair->part].name);
	lea_doctor_tell(to->report, &finding);
}

static void judge_pair(const struct hot_spots *to, const struct pair *pair)
{
	struct lea_doctor_lies part, data;
	int bit;

	if (pair->part == LEA_NONE || pair->data == LEA_NONE)
		return;
	lea_doctor_lies_on(to->report, to->facts, to->vg, &to->vg->vg->lvs[pair->part], &part);
	lea_doctor_lies_on(to->report, to->facts, to->vg, &to->vg->vg->lvs[pair->data], &data);
	bit = worse_in(&part, &data);
	if (bit >= 0)
		tell_hot_spot(to, pair, bit, &part, &data);
}

static void judge_raid(const struct hot_spots *to, uint32_t lv, const struct lea_seg_raid *raid)
{
	for (uint32_t i = 0; i < raid->count; i++)
		judge_pair(to, &(struct pair){lv, raid->metadata ? raid->metadata[i] : LEA_NONE,
					      raid->image[i], "the metadata of an image"});
}

static void judge_cache(const struct hot_spots *to, uint32_t lv, const struct lea_seg_cache *cache)
{
	const struct lea_lv *pool = &to->vg->vg->lvs[cache->pool];

	if (cache->is_volume) {
		judge_pair(to, &(struct pair){lv, cache->pool, cache->origin, "its cache"});
		return;
	}
	if (!pool->seg_count || !pool->seg[0].segtype ||
	    pool->seg[0].segtype->family != LEA_FAMILY_CACHE_POOL)
		return;
	judge_pair(to, &(struct pair){lv, pool->seg[0].own.cache_pool->data, cache->origin,
				      "its cache"});
	judge_pair(to, &(struct pair){lv, pool->seg[0].own.cache_pool->metadata, cache->origin,
				      "the metadata of its cache"});
}

static void judge_seg(const struct hot_spots *to, uint32_t lv, const struct lea_lv_seg *seg)
{
	if (!seg->segtype)
		return;
	switch (seg->segtype->family) {
	case LEA_FAMILY_THIN_POOL:
		judge_pair(to, &(struct pair){lv, seg->own.thin_pool->metadata,
					      seg->own.thin_pool->data, "its metadata"});
		return;
	case LEA_FAMILY_CACHE:
		judge_cache(to, lv, seg->own.cache);
		return;
	case LEA_FAMILY_WRITECACHE:
		judge_pair(to, &(struct pair){lv, seg->own.writecache->fast,
					      seg->own.writecache->origin, "its write cache"});
		return;
	case LEA_FAMILY_RAID:
		judge_raid(to, lv, seg->own.raid);
		return;
	case LEA_FAMILY_MIRROR:
		judge_pair(to, &(struct pair){lv, seg->own.mirror->log,
					      seg->area_count ? seg->area[0].lv : LEA_NONE,
					      "the log of its mirror"});
		return;
	case LEA_FAMILY_STRIPED:
	case LEA_FAMILY_EMPTY:
	case LEA_FAMILY_SNAPSHOT:
	case LEA_FAMILY_THIN:
	case LEA_FAMILY_CACHE_POOL:
	case LEA_FAMILY_INTEGRITY:
	case LEA_FAMILY_VDO_POOL:
	case LEA_FAMILY_VDO:
	default:
		return;
	}
}

void lea_doctor_check_hot_spots(const struct lea_doctor_facts *facts,
				struct lea_doctor_report *report)
{
	for (uint32_t v = 0; v < facts->vgs.count; v++) {
		const struct hot_spots to = {facts, &facts->vgs.vg[v], report};
		const struct lea_vg *vg = to.vg->vg;

		for (uint32_t i = 0; i < vg->lv_count; i++) {
			const struct lea_lv *lv = &vg->lvs[i];

			if (lv->cow)
				judge_pair(&to, &(struct pair){i, lv->cow->cow, lv->cow->origin,
							       "its copies of changed chunks"});
			for (uint32_t s = 0; s < lv->seg_count; s++)
				judge_seg(&to, i, &lv->seg[s]);
		}
	}
}

/* ---- D11 */

/* Does an area of the LV itself, not of LVs below it, lie on a PV? */
static bool lies_on_pvs(const struct lea_lv *lv)
{
	for (uint32_t s = 0; s < lv->seg_count; s++)
		for (uint32_t a = 0; a < lv->seg[s].area_count; a++)
			if (lv->seg[s].area[a].pv != LEA_NONE)
				return true;
	return false;
}

static void judge_media(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			const struct lea_lv *lv, const struct lea_doctor_report *report)
{
	const struct lea_doctor_about about = {.vg = vg->vg, .lv = lv};
	struct lea_doctor_finding finding;
	struct lea_doctor_lies lies;

	lea_doctor_lies_on(report, facts, vg, lv, &lies);
	if (lies.with[3] && lies.solid) {
		lea_doctor_begin(report, facts, 1, &about, &finding);
		finding.why = "it is as slow as its slowest part, and how fast a request is "
			      "depends on where it goes";
		lea_doctor_evidence(&finding,
				    "%u of its %u pieces are on rotational disks (%s), "
				    "%u on solid state",
				    lies.with[3], lies.areas, lies.first[3]->name, lies.solid);
		lea_next_set(&finding.next, LEA_LOOK("lvs -o +devices,seg_pe_ranges $1"),
			     vg->vg->name);
		lea_doctor_advice(&finding, "move it to disks of one kind: pvmove -n %s", lv->name);
		lea_doctor_tell(report, &finding);
	}
	if (lv->seg_count > PIECES_LIMIT) {
		lea_doctor_begin(report, facts, 1, &about, &finding);
		finding.why = "its table is long, requests are split, and the metadata of the VG "
			      "grows";
		lea_doctor_evidence(&finding, "it has %u segments", lv->seg_count);
		lea_next_set(&finding.next, LEA_LOOK("lvs -o +devices,seg_pe_ranges $1"),
			     vg->vg->name);
		lea_doctor_advice(&finding, "move it to one place: pvmove -n %s --alloc contiguous",
				  lv->name);
		lea_doctor_tell(report, &finding);
	}
}

void lea_doctor_check_media(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	for (uint32_t v = 0; v < facts->vgs.count; v++)
		for (uint32_t i = 0; i < facts->vgs.vg[v].vg->lv_count; i++)
			if (lies_on_pvs(&facts->vgs.vg[v].vg->lvs[i]))
				judge_media(facts, &facts->vgs.vg[v], &facts->vgs.vg[v].vg->lvs[i], report);
}
