/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One test per obstacle, each with its message. */
#include "plan/access.h"

#include <stdio.h>
#include <string.h>

#define WORD_BYTES 129

void lea_access_plain(const char *from, char *to, size_t to_bytes)
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

/* Other types, "clvm" too, pvscan takes for local. */
static bool is_shared_for_pvscan(const struct lea_vg *vg)
{
	static const char *const managers[] = {"dlm", "sanlock", "idm"};

	for (size_t i = 0; vg->lock_type && i < ARRAY_SIZE(managers); i++)
		if (!strcmp(vg->lock_type, managers[i]))
			return true;
	return false;
}

bool lea_access_is_foreign(const struct lea_vg *vg, const char *system_id)
{
	return is_word(vg->system_id) && (!system_id || strcmp(vg->system_id, system_id) != 0);
}

static enum lea_vg_access judge_system_id(const struct lea_vg *vg,
					  const struct lea_access_host *host, char *text)
{
	char id[WORD_BYTES];

	if (!lea_access_is_foreign(vg, host->system_id))
		return LEA_VG_ACCESS_OK;
	for (uint32_t i = 0; i < host->extra_count; i++)
		if (!strcmp(vg->system_id, host->extra_system_ids[i])) {
			snprintf(text, LEA_ACCESS_TEXT_BYTES,
				 "Cannot activate LVs in a foreign VG.");
			return LEA_VG_ACCESS_FOREIGN_EXTRA;
		}
	lea_access_plain(vg->system_id, id, sizeof(id));
	if (is_word(host->system_id))
		snprintf(text, LEA_ACCESS_TEXT_BYTES,
			 "Cannot access VG %s with system ID %s with local system ID %s.", vg->name,
			 id, host->system_id);
	else
		snprintf(text, LEA_ACCESS_TEXT_BYTES,
			 "Cannot access VG %s with system ID %s with unknown local system ID.",
			 vg->name, id);
	return LEA_VG_ACCESS_FOREIGN;
}

static enum lea_vg_access judge_locking(const struct lea_vg *vg, const struct lea_access_host *host,
					char *text)
{
	char type[WORD_BYTES];

	if (is_clustered(vg)) {
		snprintf(text, LEA_ACCESS_TEXT_BYTES, "Cannot access clustered VG %s.", vg->name);
		return LEA_VG_ACCESS_CLUSTERED;
	}
	if (!is_shared(vg))
		return LEA_VG_ACCESS_OK;
	if (host->use_lvmlockd)
		return LEA_VG_ACCESS_DELEGATE;
	lea_access_plain(vg->lock_type, type, sizeof(type));
	snprintf(text, LEA_ACCESS_TEXT_BYTES,
		 "Cannot access VG %s with lock type %s that requires lvmlockd.", vg->name, type);
	return LEA_VG_ACCESS_SHARED;
}

enum lea_vg_access lea_access_check_pv(const struct lea_vg *vg, const char *system_id)
{
	if (is_shared_for_pvscan(vg))
		return LEA_VG_ACCESS_SHARED;
	if (lea_access_is_foreign(vg, system_id))
		return LEA_VG_ACCESS_FOREIGN;
	return vg->flags & LEA_FLAG_EXPORTED ? LEA_VG_ACCESS_EXPORTED : LEA_VG_ACCESS_OK;
}

enum lea_vg_access lea_access_check(const struct lea_vg *vg, const struct lea_access_host *host,
				    char text[static LEA_ACCESS_TEXT_BYTES])
{
	enum lea_vg_access judgement;

	*text = '\0';
	judgement = judge_locking(vg, host, text);
	if (judgement == LEA_VG_ACCESS_OK)
		judgement = judge_system_id(vg, host, text);
	if (judgement != LEA_VG_ACCESS_OK)
		return judgement;
	if (vg->flags & LEA_FLAG_EXPORTED) {
		snprintf(text, LEA_ACCESS_TEXT_BYTES, "Volume group %s is exported", vg->name);
		return LEA_VG_ACCESS_EXPORTED;
	}
	if (vg->pr_required)
		return LEA_VG_ACCESS_DELEGATE;
	if (!(vg->flags & LEA_FLAG_WRITE)) {
		snprintf(text, LEA_ACCESS_TEXT_BYTES, "Volume group %s is read-only.", vg->name);
		return LEA_VG_ACCESS_READ_ONLY;
	}
	return LEA_VG_ACCESS_OK;
}
