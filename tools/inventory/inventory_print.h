/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inventory in the forms in which lvmevent inventory prints it. */
#pragma once

#include "base/err.h"
#include "cli/json.h"
#include "inventory/collect.h"

#include <stdio.h>

/* @event: for its member of this name; NULL: none. 0 or -ENOMEM, with nothing printed. */
LEA_MUST_CHECK int lea_inventory_print_json(FILE *out, const struct lea_inventory *inventory,
					    const char *event);

/* One object of an inventory. */
struct lea_inventory_object {
	const char *type;      /* "vg", "lv", "pv", "machine": what is of none of these */
	const char *vg, *name; /* of its VG, "": none; name: of a PV its device */
	char uuid[39];	       /* with hyphens; "": unknown, or none */
	char key[136];	       /* no other object has it, also after this one was renamed */
};

/*
 * lea_inventory_each_json - each VG, LV and PV by itself
 * @tell: gets an object with its version and the member "state": what lea_inventory_print_json has
 * in its lists, but a VG without its own lists. It may add members. @state: the text of the state.
 * A result but 0 ends the walk.
 * Returns 0, the result of @tell, or -ENOMEM.
 */
LEA_MUST_CHECK int
lea_inventory_each_json(const struct lea_inventory *inventory,
			int (*tell)(void *arg, const struct lea_inventory_object *object,
				    struct lea_json *json, const char *state),
			void *arg);
/* For node_exporter's folder of text files: OpenMetrics that readers of Prometheus' older text
 * format take as well; to its end. */
void lea_inventory_print_metrics(FILE *out, const struct lea_inventory *inventory);
/* Before them, those of the machine: commands that wait for each other, the boot. What cannot be
 * asked has no sample, and is logged. */
void lea_inventory_print_machine(FILE *out, struct lea_world *world);
/* The lines before the samples of a family; @unit: "": none. */
void lea_metrics_head(FILE *out, const char *name, const char *unit, const char *help);
/* Lines for people. */
void lea_inventory_print_text(FILE *out, const struct lea_inventory *inventory);

/* "active", "inactive", "suspended" ...: static text. */
const char *lea_inventory_state_word(const struct lea_lv_state *state);
/* "12.50", or "" if it is unknown. */
void lea_inventory_put_percent(uint32_t percent, char ret_text[static 16]);
/* What is below a segment: a device, an LV, or "[unknown]". Borrowed. */
const char *lea_inventory_area_name(const struct lea_inventory_vg *of,
				    const struct lea_inventory_area *area);
/* Extents that no LV has, of a PV and of a VG. */
uint64_t lea_inventory_free_of_pv(const struct lea_inventory_vg *of, uint32_t pv);
uint64_t lea_inventory_extents(const struct lea_inventory_vg *of, uint64_t *ret_free);
