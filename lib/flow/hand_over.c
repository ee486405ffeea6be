/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/hand_over.h"

#include "base/cleanup.h"
#include "flow/delegate.h"
#include "flow/handed_over.h"
#include "flow/rivals.h"

#include <errno.h>
#include <stdlib.h>

/* By an event the real lvm reads the recorded devices only, and does not see copies. */
static void refuse_copies(const struct lea_hand_over *over, uint32_t count)
{
	const struct lea_rivals_how how = {
		.world = over->setting->world, .conf = over->setting->conf, .quiet = true};

	for (uint32_t i = 0; i < count; i++) {
		struct lea_worker_report *report = &over->report[i];
		int r = lea_rivals_check(&how, &over->vg[i]->known, report->reason);

		report->outcome = r == LEA_RIVALS_COPY ? LEA_ACTIVATE_COPY : r;
		report->shortage = lea_is_transient(r) ? r : 0;
	}
}

/* Hands @count VGs from @first on over, all in one process. */
static int hand_over(const struct lea_hand_over *over, uint32_t first, uint32_t count)
{
	const struct lea_workers_options *options = over->setting->options;
	LEA_AUTO(lea_freep) const char **names = calloc(count, sizeof(*names));
	size_t used = 0;
	int code = -1, r;

	if (!names)
		return -ENOMEM;
	for (uint32_t i = first; i < first + count; i++)
		if (!over->report[i].outcome)
			names[used++] = over->vg[i]->known.vg->name;
	if (!used)
		return 0;
	r = lea_delegate(over->setting->world, options->lvm_path, options->lvm_args, names, used,
			 &code);
	return r ? r : code;
}

/* An exit code says that one of them failed and not which: each half is asked for alone then, so
 * that one bad VG among many costs a few processes more. */
static void hand_over_part(const struct lea_hand_over *over, uint32_t first, uint32_t count)
{
	const uint32_t half = count / 2;
	const int r = hand_over(over, first, count);

	if (r > 0 && count > 1) {
		hand_over_part(over, first, half);
		hand_over_part(over, first + half, count - half);
		return;
	}
	for (uint32_t i = first; i < first + count; i++)
		if (!over->report[i].outcome)
			lea_handed_over(over->setting, &over->vg[i]->known, r, &over->report[i]);
}

void lea_hand_over(const struct lea_hand_over *over, uint32_t count)
{
	refuse_copies(over, count);
	hand_over_part(over, 0, count);
}
