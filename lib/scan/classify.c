/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the bytes of one device to its kind. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "scan/scan_private.h"
#include "world/hanging.h"
#include "world/sysfs.h"

#define SECTOR_BYTES 512U
#define MD_MAJOR     9U

/* Keeps the first problem only: later ones mostly follow from it. */
static void note_problem(struct lea_found *found, const char *what, uint64_t at)
{
	if (!found->problem[0])
		snprintf(found->problem, sizeof(found->problem), "%s at byte %llu", what,
			 (unsigned long long)at);
}

static bool is_absent(int fault)
{
	return fault == -ENOENT || fault == -ENXIO || fault == -ENODEV;
}

void lea_scan_note_fault(struct lea_scan *scan, struct lea_found *found, int fault)
{
	const struct lea_devno devno = {found->device.major, found->device.minor};

	found->kind = LEA_FOUND_UNREADABLE;
	found->fault = fault;
	if (is_absent(fault) && !lea_sysfs_has_device(scan->world, devno)) {
		found->kind = LEA_FOUND_GONE;
		found->fault = 0;
	}
}

/* Writes "PV DEVICE (UUID of VG NAME): ". @id: the UUID; "": unknown. */
static void begin_message(const struct lea_found *found, const char *id, char *ret_text,
			  size_t bytes)
{
	snprintf(ret_text, bytes, "PV %.200s%s%s%s%s%s: ", found->device.name, id[0] ? " (" : "",
		 id, id[0] && found->vg_name[0] ? " of VG " : "", id[0] ? found->vg_name : "",
		 id[0] ? ")" : "");
}

void lea_found_damage(const struct lea_found *found, char *ret_text, size_t bytes)
{
	char id[39] = "";
	size_t used;

	if (found->label.pvid[0])
		lea_id_format(found->label.pvid, id);
	begin_message(found, id, ret_text, bytes);
	used = strlen(ret_text);
	snprintf(ret_text + used, bytes - used, "damaged: %s; check it by: pvck %.200s",
		 found->problem, found->device.name);
}

const char *lea_found_fault_text(const struct lea_found *found)
{
	return found->fault == LEA_HANGING_DIED ? "the process that read it died"
						: strerror(-found->fault);
}

void lea_found_describe_silence(const struct lea_found *found, char *ret_text, size_t bytes)
{
	const int fault = lea_found_silence(found);
	const char *excluded = lea_exclusion_silence(found->excluded);

	snprintf(ret_text, bytes, "disk %.100s of it %s", found->device.name,
		 excluded		  ? excluded
		 : fault == -ETIMEDOUT	  ? "does not answer"
		 : lea_silence_is_open(fault) ? "could not be read yet: "
					  : "cannot be read: ");
	if (!excluded && fault != -ETIMEDOUT)
		lea_append(ret_text, bytes, "%s", lea_found_fault_text(found));
}

const char *lea_found_advice(const struct lea_found *found)
{
	if (lea_is_shortage(found->fault))
		return "it will be retried soon";
	return found->fault == -ETIMEDOUT
		       ? "it will be read again when it answers; see journalctl -k, or "
			 "remove the disk"
		       : "see journalctl -k; retried at the next reconcile, or now by: "
			 "lvmevent sweep";
}

/* Finds the VG in the text of one area, @bytes or one that is cached; *ret_vg NULL: it gives none.
 * If another disk gave the text that is cached, and it does not list this PV, the device is read
 * once more with its own. */
static int vg_of_mda(struct lea_scan *scan, struct lea_read_request *request,
		     const struct lea_read_mda *mda, const char *bytes, struct lea_vg **ret_vg)
{
	struct lea_found *found = request->found;
	const char *pvid = found->label.pvid;
	const struct lea_scan_text *text;
	int r = 0;

	*ret_vg = NULL;
	if (mda->outcome == LEA_MDA_CORRUPT)
		note_problem(found, mda->why.what, mda->why.at);
	if (lea_name_ok(mda->vg_name) && !found->vg_name[0])
		snprintf(found->vg_name, sizeof(found->vg_name), "%s", mda->vg_name);
	if (mda->outcome)
		return 0;
	text = lea_scan_texts_find(scan->texts, &mda->where, mda->vg_name, pvid);
	if (!text && bytes)
		r = lea_scan_texts_parse(scan->texts, &mda->where, mda->vg_name, pvid, bytes,
					 &text);
	if (r)
		return r;
	if (!text && (request->item.is_open || !request->extras.own_texts))
		request->item.is_open = request->extras.own_texts = true;
	else if (!text)
		note_problem(found, "metadata text was not received from the reader",
			     mda->where.offset_bytes[0]);
	else if (!text->vg)
		note_problem(found, text->why.what, mda->where.offset_bytes[0] + text->why.at);
	else
		*ret_vg = text->vg;
	return 0;
}

/* Is @vg, from a later area at @at, the newer state of the same VG? */
static bool supersedes(struct lea_found *found, const struct lea_vg *vg, uint64_t at)
{
	const char *what = NULL;

	if (strcmp(vg->id, found->vg->id) != 0 || strcmp(vg->name, found->vg->name) != 0)
		what = "second metadata area is of another VG";
	else if (vg->seqno == found->vg->seqno)
		what = "metadata areas differ under one sequence number";
	if (!what)
		return vg->seqno > found->vg->seqno;
	found->has_conflict = true;
	note_problem(found, what, at);
	return false;
}

/* Of two areas the one with the higher seqno counts; with the same seqno, the first. */
static int choose_vg(struct lea_scan *scan, struct lea_read_request *request,
		     const struct lea_read *read, const struct lea_read_texts *texts)
{
	struct lea_found *found = request->found;

	for (unsigned int i = 0; i < read->mda_count; i++) {
		struct lea_vg *vg;
		int r = vg_of_mda(scan, request, &read->mda[i], texts->of_mda[i], &vg);

		if (r)
			return r;
		if (!vg || vg == found->vg)
			continue;
		if (!found->text_bytes)
			found->text_bytes = read->mda[i].where.total_bytes;
		if (!found->vg || supersedes(found, vg, read->mda[i].where.offset_bytes[0]))
			found->vg = vg;
	}
	return 0;
}

/* Does the VG's text say that the PV's device has another size, or was an md array? */
static bool looks_like_md_member(const struct lea_found *found)
{
	uint32_t index = found->vg ? lea_vg_find_pv(found->vg, found->label.pvid) : LEA_NONE;
	const struct lea_pv *pv = index == LEA_NONE ? NULL : &found->vg->pvs[index];

	if (!pv || found->device.major == MD_MAJOR)
		return false;
	return (pv->dev_sectors && pv->dev_sectors != found->size_sectors) ||
	       (pv->device_hint && !strncmp(pv->device_hint, "/dev/md", strlen("/dev/md")));
}

/*
 * md metadata at a device's end is rarely read in the first place. Where the size or the device
 * hint do not match, the device is read once more with its end; like lvm2, whatever the settings
 * say.
 */
static void judge_tail(struct lea_scan *scan, struct lea_read_request *request,
		       const struct lea_read *read)
{
	struct lea_found *found = request->found;

	if (!read->has_tail && looks_like_md_member(found))
		request->item.is_open = request->extras.tail = true;
	if (read->has_md_tail)
		lea_filter_md_tail(scan->filter, &found->device, &request->verdict);
	if (!request->verdict.excluded)
		return;
	found->kind = LEA_FOUND_EXCLUDED;
	found->excluded = request->verdict.excluded;
	/* With md detection "full" a filter of lvm2 refuses the device, and its words are used. */
	found->md_component = !lea_filter_wants_tail(scan->filter);
}

static int judge_pv(struct lea_scan *scan, struct lea_read_request *request,
		    const struct lea_read *read, const struct lea_read_texts *texts)
{
	struct lea_found *found = request->found;

	found->label = read->label;
	if (lea_read_is_orphan(read)) {
		found->kind = LEA_FOUND_ORPHAN;
		return 0;
	}
	found->kind = LEA_FOUND_PV;
	return choose_vg(scan, request, read, texts);
}

int lea_scan_judge(struct lea_scan *scan, struct lea_read_request *request,
		   const struct lea_read *read, const struct lea_read_texts *texts)
{
	struct lea_found *found = request->found;
	int r;

	/* It was being read until now, or had timed out a moment ago. */
	found->fault = 0;
	if (read->fault) {
		lea_scan_note_fault(scan, found, read->fault);
		return 0;
	}
	found->size_sectors = read->size_bytes / SECTOR_BYTES;
	found->measured = read->measured;
	found->measured_us = read->measured_us;
	found->slowest_us = read->slowest_us;
	if (request->was_pv)
		lea_filter_size(scan->filter, found->size_sectors, &request->verdict);
	r = request->verdict.excluded ? 0
				      : lea_filter_head(scan->filter, &found->device, &read->signs,
							&request->verdict);
	if (r)
		return r < 0 ? r : -EINVAL;
	memcpy(found->content, read->content, sizeof(found->content));
	if (!request->verdict.excluded && found->content[0])
		lea_filter_probed(scan->filter, found->content, &request->verdict);
	if (!request->verdict.excluded && !read->label_outcome && request->verdict.check_pvid)
		r = lea_filter_pvid(scan->filter, &found->device, read->label.pvid,
				    &request->verdict);
	if (r)
		return r;
	found->listing = request->verdict.listing;
	found->excluded = request->verdict.excluded;
	if (found->excluded) {
		found->kind = LEA_FOUND_EXCLUDED;
		return 0;
	}
	if (read->label_outcome) {
		found->kind = LEA_FOUND_NOT_PV;
		if (read->label_outcome == LEA_LABEL_CORRUPT)
			note_problem(found, read->why.what, read->why.at);
		return 0;
	}
	r = judge_pv(scan, request, read, texts);
	if (!r && found->kind == LEA_FOUND_PV)
		judge_tail(scan, request, read);
	return r;
}
