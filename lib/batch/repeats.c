/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/repeats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"

static struct lea_devid key_of(const struct lea_entry *entry)
{
	return (struct lea_devid){entry->device.major, entry->device.minor, entry->device.seqnum};
}

static bool is_add(const struct lea_entry *entry)
{
	return entry->kind == LEA_ENTRY_ADD && entry->device.seqnum && !entry->device.is_gone;
}

static int note(struct lea_repeats *repeats, const struct lea_entry *entry, uint64_t begun_ms)
{
	const struct lea_devid key = key_of(entry);
	int r = lea_make_room(&repeats->begun_ms, &repeats->add_room, repeats->adds.count + 1,
			      sizeof(*repeats->begun_ms));

	r = r ? r : lea_devset_add(&repeats->adds, &key);
	if (!r)
		repeats->begun_ms[repeats->adds.count - 1] = begun_ms;
	return r;
}

void lea_repeats_note(struct lea_repeats *repeats, const struct lea_entry *entries, size_t count,
		      uint64_t begun_ms)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < count; i++)
		if (is_add(&entries[i]) && !entries[i].is_settled)
			r = note(repeats, &entries[i], begun_ms);
}

uint64_t lea_repeats_find(struct lea_repeats *repeats, const struct lea_entry *entry)
{
	const struct lea_devid key = key_of(entry);
	const size_t at = is_add(entry) ? lea_devset_find(&repeats->adds, &key) : LEA_DEVSET_NONE;

	return at == LEA_DEVSET_NONE ? 0 : repeats->begun_ms[at];
}

int lea_repeats_keep_claim(struct lea_repeats *repeats, const char *vg_id)
{
	if (lea_make_room(&repeats->vg_id, &repeats->vg_room, repeats->vg_count + 1,
			  sizeof(*repeats->vg_id)))
		return -ENOMEM;
	snprintf(repeats->vg_id[repeats->vg_count++], sizeof(*repeats->vg_id), "%s", vg_id);
	return 0;
}

/* One that is no longer under way here has been ended by others. */
static int end_claim(const struct lea_claims *claims, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = lea_claim_read(claims, vg_id, &claim);

	if (r || claim.state != LEA_CLAIM_CLAIMED || claim.pid != getpid())
		return lea_shortage_of(r);
	claim.state = LEA_CLAIM_DONE;
	return lea_claim_finish(claims, vg_id, &claim);
}

int lea_repeats_end_claims(struct lea_repeats *repeats, const struct lea_claims *claims)
{
	int r;

	while (repeats->vg_count) {
		r = end_claim(claims, repeats->vg_id[repeats->vg_count - 1]);
		if (r < 0)
			return r;
		repeats->vg_count--;
	}
	return 0;
}

static void leave_claims(struct lea_repeats *repeats, struct lea_world *world)
{
	struct lea_claims claims;
	int r = lea_claims_init(&claims, world, NULL);

	if (r || !lea_repeats_end_claims(repeats, &claims))
		return;
	for (size_t i = 0; i < repeats->vg_count; i++)
		if (lea_claim_drop(&claims, repeats->vg_id[i]) < 0)
			lea_log(world->log, LEA_LOG_WARNING,
				"VG with id %s: its claim could not be removed", repeats->vg_id[i]);
}

void lea_repeats_done(struct lea_repeats *repeats, struct lea_world *world)
{
	if (repeats->vg_count)
		leave_claims(repeats, world);
	lea_devset_done(&repeats->adds);
	free(repeats->begun_ms);
	free(repeats->vg_id);
	*repeats = (struct lea_repeats){0};
}
