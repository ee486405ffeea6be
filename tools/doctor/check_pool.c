/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* D9: thin pools. Source of the status: kernel documentation, device-mapper/thin-provisioning. */
#include "doctor/check.h"

#include "base/append.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "doctor/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FULL_PERCENT	 80U
#define CRITICAL_PERCENT 95U
#define NAME_BYTES	 260U

struct pool {
	const struct lea_doctor_facts *facts;
	const struct lea_doctor_vg *vg;
	const struct lea_doctor_report *report;
	uint32_t lv;
	uint64_t virtual_bytes; /* of its volumes */
};

static void begin(const struct pool *pool, unsigned int severity,
		  struct lea_doctor_finding *finding)
{
	const struct lea_vg *vg = pool->vg->vg;

	lea_doctor_begin(pool->report, pool->facts, severity,
			 &(struct lea_doctor_about){.vg = vg, .lv = &vg->lvs[pool->lv]}, finding);
}

/* VG/LV */
static const char *name_of(const struct pool *pool, char ret_name[static NAME_BYTES])
{
	snprintf(ret_name, NAME_BYTES, "%.127s/%.127s", pool->vg->vg->name,
		 pool->vg->vg->lvs[pool->lv].name);
	return ret_name;
}

static void check_full(const struct pool *pool, const char *what, struct lea_step extend,
		       uint64_t used, uint64_t total)
{
	const uint64_t percent = total ? (uint64_t)((double)used * 100 / (double)total) : 0;
	struct lea_doctor_finding finding;
	char name[NAME_BYTES];

	if (percent < FULL_PERCENT)
		return;
	begin(pool, percent >= CRITICAL_PERCENT ? 2 : 1, &finding);
	finding.why = "when it is full, writes to all its volumes stop or fail";
	lea_doctor_evidence(&finding, "its %s is %" PRIu64 " %% full", what, percent);
	lea_next_make(&finding.next, extend,
		      (const char *const[LEA_NEXT_WORDS]){name_of(pool, name)});
	lea_doctor_tell(pool->report, &finding);
}

static void check_broken(const struct pool *pool, const struct lea_doctor_thin *thin)
{
	struct lea_doctor_finding finding;
	char name[NAME_BYTES];

	if (!thin->has_failed && !thin->needs_check && !thin->is_read_only && !thin->is_out_of_data)
		return;
	begin(pool, 2, &finding);
	finding.why = "its volumes cannot be written, or do not come up at the next boot";
	lea_doctor_evidence(&finding, "%s",
			    thin->has_failed	   ? "it has failed"
			    : thin->needs_check	   ? "its metadata needs a check"
			    : thin->is_out_of_data ? "it has no room left for data"
						   : "it is read-only");
	if (thin->is_out_of_data && !thin->needs_check)
		lea_next_set(&finding.next, LEA_CHANGE("lvextend -l +10%LV $1"),
			     name_of(pool, name));
	else
		lea_next_set(&finding.next, LEA_LOOK("lvs -a -o +lv_health_status $1"),
			     name_of(pool, name));
	if (finding.next.class == LEA_NEXT_LOOK)
		lea_doctor_advice(&finding, "save what can be read, then repair it: lvmthin(7)");
	lea_doctor_tell(pool->report, &finding);
}

/* Overcommitted, and never extended. A pool that cannot overflow needs no extension. */
static void check_growth(const struct pool *pool, uint64_t data_bytes)
{
	const struct lea_doctor_watch *watch = &pool->facts->machine.watch;
	char text[2][LEA_SIZE_BYTES];
	struct lea_doctor_finding finding;
	const bool never = watch->threshold_percent >= 100;
	const bool unwatched = watch->monitoring && watch->has_dmeventd == LEA_DOCTOR_NO;

	if (pool->virtual_bytes <= data_bytes ||
	    (!never && !unwatched && !pool->vg->is_unwatched && watch->monitoring))
		return;
	begin(pool, 1, &finding);
	finding.why = "when it is full, writes to all its volumes stop or fail";
	lea_size_format(pool->virtual_bytes, text[0]);
	lea_size_format(data_bytes, text[1]);
	lea_doctor_evidence(&finding,
			    "its volumes have %s, it has %s, and it is never extended: %s", text[0],
			    text[1],
			    never		 ? "thin_pool_autoextend_threshold is 100"
			    : !watch->monitoring ? "activation/monitoring is 0"
			    : unwatched		 ? "dmeventd is not running"
						 : "dmeventd does not monitor its VG yet");
	if (never)
		lea_doctor_advice(&finding, "in lvm.conf: activation { "
					    "thin_pool_autoextend_threshold = 80 }");
	else if (!watch->monitoring)
		lea_doctor_advice(&finding, "in lvm.conf: activation { monitoring = 1 }");
	if (never || !watch->monitoring)
		lea_next_set(&finding.next, LEA_LOOK("lvmconfig --type full activation/monitoring "
						     "activation/thin_pool_autoextend_threshold"));
	else
		lea_next_set(
			&finding.next,
			LEA_CHANGE("systemctl start dm-event.socket && vgchange --monitor y $1"),
			pool->vg->vg->name);
	lea_doctor_tell(pool->report, &finding);
}

/* A disk below the pool that could not take discards although it is solid state. */
struct discards {
	const struct pool *pool;
	const struct lea_doctor_disk *disk;
};

static void find_no_discards(void *arg, uint32_t pv, uint32_t extents)
{
	struct discards *discards = arg;
	const uint32_t index = discards->pool->vg->disk[pv];
	const struct lea_doctor_disk *disk =
		index == LEA_NONE ? NULL : &discards->pool->facts->disks.disk[index];

	(void)extents;
	if (disk && disk->discards == LEA_DOCTOR_NO && disk->is_rotational == LEA_DOCTOR_NO)
		discards->disk = disk;
}

static void check_discards(const struct pool *pool, const struct lea_seg_thin_pool *seg,
			   const struct lea_doctor_thin *thin)
{
	const struct lea_vg *vg = pool->vg->vg;
	struct discards discards = {.pool = pool};
	struct lea_doctor_finding finding;

	if (seg->discards != LEA_DISCARDS_PASSDOWN || !thin->no_passdown)
		return;
	lea_doctor_each_pv(vg, &vg->lvs[seg->data], find_no_discards, &discards);
	if (!discards.disk)
		return;
	begin(pool, 1, &finding);
	finding.device = discards.disk->name;
	finding.pvid = discards.disk->pvid;
	finding.why =
		"the disk never learns which blocks are free, wears faster and becomes slower";
	lea_doctor_evidence(&finding,
			    "discards are to be passed down, but %s does not support them",
			    discards.disk->name);
	lea_next_set(&finding.next, LEA_LOOK("lsblk -D $1"), discards.disk->name);
	lea_doctor_advice(&finding,
			  "turn discards on below (in a guest: discard=unmap), or let the "
			  "pool keep them: lvchange --discards nopassdown");
	lea_doctor_tell(pool->report, &finding);
}

static void check_pool(const struct pool *pool)
{
	const struct lea_vg *vg = pool->vg->vg;
	const struct lea_doctor_lv *state = &pool->vg->lv[pool->lv];
	const struct lea_seg_thin_pool *seg = vg->lvs[pool->lv].seg[0].own.thin_pool;
	const char *status = state->later[0] ? state->later : state->status;
	struct lea_doctor_thin thin;

	check_growth(pool, lea_doctor_lv_bytes(vg, &vg->lvs[seg->data]));
	if (state->status_is_late)
		lea_doctor_not_known(pool->report, "%s/%s: device-mapper has not answered in time",
				     vg->name, vg->lvs[pool->lv].name);
	if (!status[0])
		return;
	if (!lea_doctor_parse_thin(status, &thin)) {
		lea_doctor_not_known(pool->report, "%s/%s: device-mapper's status is unknown",
				     vg->name, vg->lvs[pool->lv].name);
		return;
	}
	check_broken(pool, &thin);
	check_full(pool, "data", (struct lea_step)LEA_CHANGE("lvextend -l +10%LV $1"),
		   thin.data_used, thin.data_total);
	check_full(pool, "metadata",
		   (struct lea_step)LEA_CHANGE("lvextend --poolmetadatasize +256m $1"),
		   thin.metadata_used, thin.metadata_total);
	check_discards(pool, seg, &thin);
}

static void check_vg(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
		     const struct lea_doctor_report *report)
{
	uint64_t *bytes = calloc((size_t)vg->vg->lv_count + 1, sizeof(*bytes));

	for (uint32_t i = 0; bytes && i < vg->vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->vg->lvs[i];

		if (lv->seg_count && lv->seg[0].segtype &&
		    lv->seg[0].segtype->family == LEA_FAMILY_THIN)
			bytes[lv->seg[0].own.thin->pool] += lea_doctor_lv_bytes(vg->vg, lv);
	}
	for (uint32_t i = 0; bytes && i < vg->vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->vg->lvs[i];

		if (lv->seg_count && lv->seg[0].segtype &&
		    lv->seg[0].segtype->family == LEA_FAMILY_THIN_POOL)
			check_pool(&(struct pool){facts, vg, report, i, bytes[i]});
	}
	free(bytes);
}

void lea_doctor_check_pools(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	for (uint32_t v = 0; v < facts->vgs.count; v++)
		if (facts->vgs.vg[v].is_ours)
			check_vg(facts, &facts->vgs.vg[v], report);
}
