/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "worker/verdict.h"

#include "activate/transaction.h"
#include "base/err.h"

static enum lea_verdict failed(int shortage)
{
	return lea_is_transient(shortage) ? LEA_VERDICT_FAILED_FOR_NOW : LEA_VERDICT_FAILED;
}

enum lea_verdict lea_verdict_on(int outcome, int shortage, uint32_t active, bool in_part)
{
	if (outcome < 0)
		return failed(outcome);
	switch (outcome) {
	case LEA_ACTIVATE_FAILED:
		return in_part && !shortage && active ? LEA_VERDICT_IN_PART : failed(shortage);
	case LEA_ACTIVATE_INCOMPLETE:
	case LEA_ACTIVATE_COPY:
		return failed(shortage);
	case LEA_ACTIVATE_CHANGED:
	case LEA_ACTIVATE_OUTDATED:
		return LEA_VERDICT_AGAIN;
	case LEA_ACTIVATE_VG_BUSY:
	case LEA_ACTIVATE_DELEGATE:
		return LEA_VERDICT_OPEN;
	default:
		return in_part && !outcome ? LEA_VERDICT_IN_PART : LEA_VERDICT_DONE;
	}
}

bool lea_verdict_is_failure(enum lea_verdict verdict)
{
	return verdict == LEA_VERDICT_FAILED || verdict == LEA_VERDICT_FAILED_FOR_NOW;
}

const char *lea_verdict_reason(int outcome, const char *reason)
{
	if (reason && reason[0])
		return reason;
	return outcome == LEA_ACTIVATE_INCOMPLETE ? "one of its PVs was removed"
						  : "activation failed";
}
