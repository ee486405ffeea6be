/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts point to VGs of the texts: they go together. */
#include "flow/known.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "flow/filter.h"
#include "flow/record_vg.h"
#include "flow/scan_text.h"

struct lea_known {
	struct lea_scan_texts texts;
	struct lea_record_vgs *vgs;   /* owned */
	struct lea_devicesfile *file; /* owned; NULL: none was read */
	unsigned int users;
};

int lea_known_new(struct lea_known **ret_known)
{
	struct lea_known *known = calloc(1, sizeof(*known));
	int r = known ? lea_record_vgs_new(&known->vgs) : -ENOMEM;

	if (r) {
		free(known);
		return r;
	}
	*ret_known = known;
	return 0;
}

void lea_known_free(struct lea_known *known)
{
	if (!known)
		return;
	lea_record_vgs_free(known->vgs);
	lea_scan_texts_done(&known->texts);
	lea_devicesfile_free(known->file);
	free(known);
}

struct lea_scan_texts *lea_known_texts(struct lea_known *known)
{
	return known ? &known->texts : NULL;
}

struct lea_devicesfile **lea_known_devicesfile(struct lea_known *known)
{
	return known ? &known->file : NULL;
}

struct lea_record_vgs *lea_known_vgs(struct lea_known *known)
{
	return known ? known->vgs : NULL;
}

void lea_known_use(struct lea_known *known)
{
	if (known)
		known->users++;
}

void lea_known_rest(struct lea_known *known)
{
	if (!known || --known->users)
		return;
	if (known->texts.bytes - known->texts.most > LEA_KNOWN_MAX_BYTES)
		lea_known_forget(known);
	else
		lea_record_vgs_rest(known->vgs);
}

void lea_known_forget(struct lea_known *known)
{
	if (!known)
		return;
	lea_record_vgs_clear(known->vgs);
	lea_scan_texts_done(&known->texts);
	lea_devicesfile_free(LEA_TAKE(known->file));
}
