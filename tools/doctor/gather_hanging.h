/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions of lvmevent doctor that may hang. A gatherer adds them, children ask them all, and each
 * answer goes back to the gatherer.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lea_doctor;
struct lea_doctor_request;

/* A kind of question. The gatherer that has one says how to ask, and takes the answers. */
struct lea_doctor_question {
	const char *prefix;  /* of a name in what hangs (world/hung.h), before the object */
	bool is_of_dm;	     /* about a node of device-mapper: has no prefix, and is asked alone */
	bool is_asked_twice; /* before the sample and after it */
	size_t answer_bytes;
	/* In a child: fills request->answer. @pass: 1 when it asks for the second time. */
	void (*ask)(const struct lea_doctor *doctor, const struct lea_doctor_request *request,
		    unsigned int pass);
	/* After the sample: fills request->fact, also if no answer came. */
	void (*take)(struct lea_doctor *doctor, const struct lea_doctor_request *request);
};

/* One question about one object. */
struct lea_doctor_request {
	const struct lea_doctor_question *question;
	void *fact;	    /* where the answer goes; borrowed */
	const char *name;   /* of a node; in the arena, as object */
	const char *object; /* uuid of a node, path of a file or a disk; "": there is only one */
	/* by gather_hanging.c */
	void *answer;	/* zero until the child has filled it */
	bool has_first; /* of a question that is asked twice */
	bool is_done;	/* answered, and twice if asked twice */
};

/* What gatherers have asked of children. */
struct lea_doctor_requests {
	struct lea_doctor_request *request; /* owned */
	size_t count, room;
	void *answers; /* shared with the children; owned */
	size_t answers_bytes;
};

/* Before lea_doctor_ask. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_doctor_add_request(struct lea_doctor *doctor,
					  const struct lea_doctor_request *request);
/* Has children do the requests. Blocks until @until_ms at most. */
LEA_MUST_CHECK int lea_doctor_ask(struct lea_doctor *doctor, uint64_t until_ms);
/* Asks for the second time, and gives each gatherer its answers. */
LEA_MUST_CHECK int lea_doctor_ask_again(struct lea_doctor *doctor, uint64_t until_ms);
void lea_doctor_requests_done(struct lea_doctor_requests *requests);
