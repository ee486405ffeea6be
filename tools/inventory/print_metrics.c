/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenMetrics 1.0, gauges only: Prometheus' older text format, which node_exporter reads from its
 * folder, has no other type of it that we would need. All samples of a family stand together.
 */
#include "inventory/inventory_print.h"

#include <inttypes.h>

#include "base/id.h"

#define SECTOR_BYTES 512U
#define NO_SAMPLE    UINT64_MAX

/* The object of a sample: a VG and one of its PVs or LVs (index; LEA_NONE: the VG itself). */
struct subject {
	const struct lea_inventory_vg *of;
	uint32_t index;
};

struct family {
	const char *name, *unit, *help; /* unit "": none */
	/* A whole number, or hundredths of a percent with @is_ratio; NO_SAMPLE: none. */
	uint64_t (*value)(const struct subject *subject);
	bool is_ratio;
};

static uint64_t bytes_of(const struct subject *subject, uint64_t extents)
{
	return extents * subject->of->vg->extent_sectors * SECTOR_BYTES;
}

/* ---- VGs */

static uint64_t vg_size(const struct subject *subject)
{
	uint64_t unused;

	return bytes_of(subject, lea_inventory_extents(subject->of, &unused));
}

static uint64_t vg_free(const struct subject *subject)
{
	uint64_t unused;

	lea_inventory_extents(subject->of, &unused);
	return bytes_of(subject, unused);
}

static uint64_t vg_pvs(const struct subject *subject)
{
	return subject->of->vg->pv_count;
}

static uint64_t vg_missing(const struct subject *subject)
{
	return subject->of->pv_missing;
}

static uint64_t vg_complete(const struct subject *subject)
{
	return !subject->of->pv_missing;
}

static uint64_t vg_seqno(const struct subject *subject)
{
	return subject->of->vg->seqno;
}

static const struct family vg_families[] = {
	{"lvmevent_vg_size_bytes", "bytes", "Size of the VG's extents.", vg_size, false},
	{"lvmevent_vg_free_bytes", "bytes", "Extents that no LV has.", vg_free, false},
	{"lvmevent_vg_pvs", "", "PVs that the metadata lists.", vg_pvs, false},
	{"lvmevent_vg_pvs_missing", "", "PVs that are not there.", vg_missing, false},
	{"lvmevent_vg_complete", "", "Is every PV there? 1: yes.", vg_complete, false},
	{"lvmevent_vg_seqno", "", "Number of the metadata; each change adds one.", vg_seqno, false},
};

/* ---- PVs */

static uint64_t pv_size(const struct subject *subject)
{
	return bytes_of(subject, subject->of->vg->pvs[subject->index].pe_count);
}

static uint64_t pv_free(const struct subject *subject)
{
	return bytes_of(subject, lea_inventory_free_of_pv(subject->of, subject->index));
}

static uint64_t pv_present(const struct subject *subject)
{
	return subject->of->pv[subject->index] != NULL;
}

static const struct family pv_families[] = {
	{"lvmevent_pv_size_bytes", "bytes", "Size of the PV's extents.", pv_size, false},
	{"lvmevent_pv_free_bytes", "bytes", "Extents of the PV that no LV has.", pv_free, false},
	{"lvmevent_pv_present", "", "Is the PV there? 1: yes.", pv_present, false},
};

/* ---- LVs */

static uint64_t lv_size(const struct subject *subject)
{
	return bytes_of(subject, subject->of->vg->lvs[subject->index].extent_count);
}

static const struct lea_lv_state *state_of(const struct subject *subject)
{
	return &subject->of->facts.state[subject->index];
}

static uint64_t lv_active(const struct subject *subject)
{
	const struct lea_lv_state *state = state_of(subject);

	return state->activity == LEA_LV_UNKNOWN ? NO_SAMPLE : state->activity == LEA_LV_ACTIVE;
}

static uint64_t lv_suspended(const struct subject *subject)
{
	const struct lea_lv_state *state = state_of(subject);

	return state->activity == LEA_LV_ACTIVE ? state->suspended : NO_SAMPLE;
}

static uint64_t lv_partial(const struct subject *subject)
{
	return subject->of->facts.is_partial[subject->index];
}

static uint64_t lv_lost_disk(const struct subject *subject)
{
	const struct lea_lv_state *state = state_of(subject);

	return state->activity == LEA_LV_ACTIVE ? state->lost_disk != NULL : NO_SAMPLE;
}

static struct lea_inventory_use use_of(const struct subject *subject)
{
	struct lea_inventory_use use;

	lea_inventory_find_use(&subject->of->facts, subject->index, &use);
	return use;
}

static uint64_t ratio(uint32_t percent)
{
	return percent == LEA_PERCENT_NONE ? NO_SAMPLE : percent;
}

static uint64_t lv_data(const struct subject *subject)
{
	return ratio(use_of(subject).data);
}

static uint64_t lv_metadata(const struct subject *subject)
{
	return ratio(use_of(subject).metadata);
}

static uint64_t lv_sync(const struct subject *subject)
{
	return ratio(use_of(subject).sync);
}

static const struct family lv_families[] = {
	{"lvmevent_lv_size_bytes", "bytes", "Size of the LV.", lv_size, false},
	{"lvmevent_lv_active", "", "Is the LV active? 1: yes.", lv_active, false},
	{"lvmevent_lv_suspended", "", "Is the active LV suspended? 1: yes.", lv_suspended, false},
	{"lvmevent_lv_partial", "", "Does a part of it lie on a missing PV? 1: yes.", lv_partial,
	 false},
	{"lvmevent_lv_lost_disk", "", "Does the active LV use a disk that has gone? 1: yes.",
	 lv_lost_disk, false},
	{"lvmevent_lv_data_ratio", "ratio", "How full a pool, snapshot, cache or thin LV is.",
	 lv_data, true},
	{"lvmevent_lv_metadata_ratio", "ratio", "How full a pool's or cache's metadata are.",
	 lv_metadata, true},
	{"lvmevent_lv_sync_ratio", "ratio", "The part of a RAID or mirror that is in sync.",
	 lv_sync, true},
};

/* ---- output */

void lea_metrics_head(FILE *out, const char *name, const char *unit, const char *help)
{
	fprintf(out, "# TYPE %s gauge\n", name);
	if (unit[0])
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, help);
}

/* A label's value: a backslash, a quote and a newline are escaped. What else is not ASCII, and so
 * perhaps no UTF-8, becomes "?". */
static void put_label(FILE *out, char before, const char *name, const char *value)
{
	fprintf(out, "%c%s=\"", before, name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fprintf(out, "\\%c", *value);
		else
			fputc(*value < ' ' || *value > '~' ? '?' : *value, out);
	}
	fputc('"', out);
}

/* @id: NULL: not known */
static void put_id(FILE *out, const char *name, const char *id)
{
	char text[39] = "";

	if (id)
		lea_id_format(id, text);
	put_label(out, ',', name, text);
}

static void put_value(FILE *out, const struct family *family, uint64_t value)
{
	if (family->is_ratio)
		fprintf(out, "} %" PRIu64 ".%04" PRIu64 "\n", value / 10000, value % 10000);
	else
		fprintf(out, "} %" PRIu64 "\n", value);
}

static void put_vg(FILE *out, const struct family *family, const struct lea_inventory_vg *of)
{
	const struct subject subject = {of, LEA_NONE};

	fprintf(out, "%s", family->name);
	put_label(out, '{', "vg", of->name);
	put_id(out, "uuid", of->vg->id);
	put_value(out, family, family->value(&subject));
}

static void put_pvs(FILE *out, const struct family *family, const struct lea_inventory_vg *of)
{
	for (uint32_t i = 0; i < of->vg->pv_count; i++) {
		const struct subject subject = {of, i};

		fprintf(out, "%s", family->name);
		put_label(out, '{', "vg", of->name);
		put_label(out, ',', "device", of->pv[i] ? of->pv[i]->device : "");
		put_id(out, "uuid", of->vg->pvs[i].id);
		put_id(out, "vg_uuid", of->vg->id);
		put_value(out, family, family->value(&subject));
	}
}

static void put_lvs(FILE *out, const struct family *family, const struct lea_inventory_vg *of)
{
	for (uint32_t i = 0; i < of->vg->lv_count; i++) {
		const struct lea_lv *lv = &of->vg->lvs[i];
		const struct subject subject = {of, i};
		const uint64_t value = family->value(&subject);

		if (!of->chosen_lv[i] || value == NO_SAMPLE || !lea_inventory_is_reported(lv) ||
		    !lea_lv_is_visible(lv))
			continue;
		fprintf(out, "%s", family->name);
		put_label(out, '{', "vg", of->name);
		put_label(out, ',', "lv", lv->name);
		put_id(out, "uuid", lv->id);
		put_id(out, "vg_uuid", of->vg->id);
		put_value(out, family, value);
	}
}

static void put_families(FILE *out, const struct lea_inventory *inventory,
			 const struct family *family, size_t count,
			 void (*put)(FILE *out, const struct family *family,
				     const struct lea_inventory_vg *of))
{
	for (; count > 0; count--, family++) {
		lea_metrics_head(out, family->name, family->unit, family->help);
		for (size_t i = 0; i < inventory->vg_count; i++)
			if (inventory->vg[i].is_chosen && inventory->vg[i].vg)
				put(out, family, &inventory->vg[i]);
	}
}

/* Every VG has one, also those of which only a name is known, so a VG is never silently gone. */
static void put_problems(FILE *out, const struct lea_inventory *inventory)
{
	static const char name[] = "lvmevent_vg_problem";

	lea_metrics_head(out, name, "", "Is anything wrong with the VG or a PV of it? 1: yes.");
	for (size_t i = 0; i < inventory->vg_count; i++) {
		const struct lea_inventory_vg *of = &inventory->vg[i];

		if (!of->is_chosen)
			continue;
		fputs(name, out);
		put_label(out, '{', "vg", of->name);
		put_id(out, "uuid", of->vg ? of->vg->id : NULL);
		fprintf(out, "} %d\n", of->problem[0] != '\0');
	}
}

static void put_queue(FILE *out, const struct lea_inventory *inventory)
{
	const struct {
		const char *name;
		size_t count;
	} rows[] = {
		{"pending", inventory->pending},
		{"taken", inventory->taken},
		{"quarantined", inventory->quarantined},
	};

	lea_metrics_head(out, "lvmevent_queue_entries", "",
			 "Devices in the queue of event activation.");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		fprintf(out, "lvmevent_queue_entries{state=\"%s\"} %zu\n", rows[i].name,
			rows[i].count);
	lea_metrics_head(out, "lvmevent_queue_oldest_age_seconds", "seconds",
			 "Age of the oldest pending entry; 0: none.");
	fprintf(out, "lvmevent_queue_oldest_age_seconds %" PRIu64 "\n", inventory->oldest_s);
	lea_metrics_head(out, "lvmevent_failed_vgs", "", "VGs whose activation by an event failed.");
	fprintf(out, "lvmevent_failed_vgs %zu\n", inventory->failed_vgs);
}

static void put_whole(FILE *out, const struct lea_inventory *inventory)
{
	size_t lone = 0, duplicate = 0;

	for (size_t i = 0; i < inventory->pv_count; i++) {
		lone += !inventory->pv[i].is_placed;
		duplicate += inventory->pv[i].is_duplicate;
	}
	lea_metrics_head(out, "lvmevent_lone_pvs", "", "PVs of no VG that is readable.");
	fprintf(out, "lvmevent_lone_pvs %zu\n", lone);
	lea_metrics_head(out, "lvmevent_duplicate_pvs", "", "PVs that are on several disks.");
	fprintf(out, "lvmevent_duplicate_pvs %zu\n", duplicate);
	lea_metrics_head(out, "lvmevent_unreadable_devices", "",
			 "Devices that did not answer, or are damaged.");
	fprintf(out, "lvmevent_unreadable_devices %zu\n", inventory->problem_count);
}

void lea_inventory_print_metrics(FILE *out, const struct lea_inventory *inventory)
{
	put_families(out, inventory, vg_families, ARRAY_SIZE(vg_families), put_vg);
	put_families(out, inventory, pv_families, ARRAY_SIZE(pv_families), put_pvs);
	put_families(out, inventory, lv_families, ARRAY_SIZE(lv_families), put_lvs);
	put_problems(out, inventory);
	if (inventory->is_whole)
		put_whole(out, inventory);
	put_queue(out, inventory);
	lea_metrics_head(out, "lvmevent_dm_answered", "",
			 "Did device-mapper answer for all LVs? 1: yes.");
	fprintf(out, "lvmevent_dm_answered %d\n# EOF\n", !inventory->is_dm_silent);
}
