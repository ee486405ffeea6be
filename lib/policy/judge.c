/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One test per obstacle, each with its message.
 */
#include "policy/judge.h"

#include <stdio.h>
#include <string.h>

#define WORD_BYTES 129

void lea_judge_plain(const char *from, char *to, size_t to_bytes)
{
	size_t i;

	for (i = 0; from[i] && i + 1 < to_bytes; i++)
		to[i] = from[i] >= ' ' && from[i] < 0x7f ? from[i] : '?';
	to[i] = '\0';
}

static bool is_word(const char *word)
{
	return word && *word;
}

static bool is_shared(const struct lea_vg *vg)
{
	return is_word(vg->lock_type) && strcmp(vg->lock_type, "none") != 0 &&
	       strcmp(vg->lock_type, "clvm") != 0;
}

static bool is_clustered(const struct lea_vg *vg)
{
	return vg->flags & LEA_FLAG_CLUSTERED ||
	       (is_word(vg->lock_type) && !strcmp(vg->lock_type, "clvm"));
}

static enum lea_judgement judge_system_id(const struct lea_vg *vg,
					  const struct lea_judge_host *host, char *text)
{
	char id[WORD_BYTES];

	if (!is_word(vg->system_id))
		return LEA_JUDGE_OURS;
	if (host->system_id && !strcmp(vg->system_id, host->system_id))
		return LEA_JUDGE_OURS;
	for (uint32_t i = 0; i < host->extra_count; i++)
		if (!strcmp(vg->system_id, host->extra_system_ids[i])) {
			snprintf(text, LEA_JUDGE_TEXT_BYTES,
				 "Cannot activate LVs in a foreign VG.");
			return LEA_JUDGE_FOREIGN_EXTRA;
		}
	lea_judge_plain(vg->system_id, id, sizeof(id));
	if (is_word(host->system_id))
		snprintf(text, LEA_JUDGE_TEXT_BYTES,
			 "Cannot access VG %s with system ID %s with local system ID %s.", vg->name,
			 id, host->system_id);
	else
		snprintf(text, LEA_JUDGE_TEXT_BYTES,
			 "Cannot access VG %s with system ID %s with unknown local system ID.",
			 vg->name, id);
	return LEA_JUDGE_FOREIGN;
}

static enum lea_judgement judge_locking(const struct lea_vg *vg, const struct lea_judge_host *host,
					char *text)
{
	char type[WORD_BYTES];

	if (is_clustered(vg)) {
		snprintf(text, LEA_JUDGE_TEXT_BYTES, "Cannot access clustered VG %s.", vg->name);
		return LEA_JUDGE_CLUSTERED;
	}
	if (!is_shared(vg))
		return LEA_JUDGE_OURS;
	if (host->use_lvmlockd)
		return LEA_JUDGE_DELEGATE;
	lea_judge_plain(vg->lock_type, type, sizeof(type));
	snprintf(text, LEA_JUDGE_TEXT_BYTES,
		 "Cannot access VG %s with lock type %s that requires lvmlockd.", vg->name, type);
	return LEA_JUDGE_SHARED;
}

enum lea_judgement lea_judge_vg(const struct lea_vg *vg, const struct lea_judge_host *host,
				char text[static LEA_JUDGE_TEXT_BYTES])
{
	enum lea_judgement judgement;

	*text = '\0';
	judgement = judge_locking(vg, host, text);
	if (judgement == LEA_JUDGE_OURS)
		judgement = judge_system_id(vg, host, text);
	if (judgement != LEA_JUDGE_OURS)
		return judgement;
	if (vg->flags & LEA_FLAG_EXPORTED) {
		snprintf(text, LEA_JUDGE_TEXT_BYTES, "Volume group %s is exported", vg->name);
		return LEA_JUDGE_EXPORTED;
	}
	if (vg->pr_required)
		return LEA_JUDGE_DELEGATE;
	if (!(vg->flags & LEA_FLAG_WRITE)) {
		snprintf(text, LEA_JUDGE_TEXT_BYTES, "Volume group %s is read-only.", vg->name);
		return LEA_JUDGE_READ_ONLY;
	}
	return LEA_JUDGE_OURS;
}
