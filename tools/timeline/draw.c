/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picture. Names have no characters that SVG would take for its own (base/ring.h). */
#include "timeline/timeline_print.h"

#include <inttypes.h>

#define WIDTH	  1200U /* pixels of the whole time */
#define ROW	  18U
#define LEFT	  20U
#define TOP	  70U
#define NAME_ROOM 420U /* for names on the right of the bars */
#define STEPS	  20U  /* lines of the time scale, about */

static const char *const colours[LEA_PHASES] = {
	[LEA_PHASE_DISKS] = "#b0bec5", [LEA_PHASE_QUEUE] = "#ffe082", [LEA_PHASE_LOCK] = "#e57373",
	[LEA_PHASE_READ] = "#90caf9",  [LEA_PHASE_NODES] = "#1e88e5", [LEA_PHASE_CHECK] = "#8e24aa",
	[LEA_PHASE_BATCH] = "#ffcc80", [LEA_PHASE_UDEV] = "#66bb6a",  [LEA_PHASE_END] = "#a1887f",
	[LEA_PHASE_LVM] = "#546e7a",
};

struct scale {
	uint64_t from_us, us; /* us: of the whole width, at least 1 */
	uint32_t height;
};

static uint64_t x_of(const struct scale *scale, uint64_t at_us)
{
	const uint64_t us = at_us > scale->from_us ? at_us - scale->from_us : 0;

	return LEFT + (us < scale->us ? us : scale->us) * WIDTH / scale->us;
}

static void draw_line(FILE *out, const struct scale *scale, uint64_t at_us, const char *colour)
{
	fprintf(out,
		"<line x1=\"%" PRIu64 "\" y1=\"%u\" x2=\"%" PRIu64 "\" y2=\"%u\" stroke=\"%s\"/>\n",
		x_of(scale, at_us), TOP - 12, x_of(scale, at_us), scale->height, colour);
}

static void draw_moment(FILE *out, const struct scale *scale, uint64_t at_us, const char *what)
{
	if (!at_us)
		return;
	draw_line(out, scale, at_us, "#c62828");
	fprintf(out, "<text x=\"%" PRIu64 "\" y=\"%u\" fill=\"#c62828\">%s</text>\n",
		x_of(scale, at_us) + 3, scale->height - 4, what);
}

/* Lines at whole seconds or tenths of them. */
static void draw_scale(FILE *out, const struct scale *scale)
{
	uint64_t step_us = 100000;

	for (unsigned int i = 0; scale->us / step_us > STEPS; i++)
		step_us = i % 3 == 1 ? step_us / 2 * 5 : step_us * 2;
	for (uint64_t at_us = (scale->from_us / step_us + 1) * step_us;
	     at_us <= scale->from_us + scale->us; at_us += step_us) {
		draw_line(out, scale, at_us, "#dddddd");
		fprintf(out, "<text x=\"%" PRIu64 "\" y=\"%u\">%" PRIu64 ".%" PRIu64 " s</text>\n",
			x_of(scale, at_us), TOP - 16, at_us / 1000000, at_us / 100000 % 10);
	}
}

static void draw_legend(FILE *out)
{
	for (unsigned int i = 0; i < LEA_PHASES; i++)
		fprintf(out,
			"<rect x=\"%u\" y=\"24\" width=\"12\" height=\"12\" fill=\"%s\"/>"
			"<text x=\"%u\" y=\"34\">%s</text>\n",
			LEFT + i * 80, colours[i], LEFT + i * 80 + 16,
			lea_phase_word((enum lea_phase)i));
}

static void draw_turn(FILE *out, const struct scale *scale, const struct lea_turn *turn, uint32_t y)
{
	for (size_t i = 0; i < LEA_PHASES; i++) {
		const uint64_t x = x_of(scale, turn->at_us[i]);

		if (turn->span_us[i])
			fprintf(out,
				"<rect x=\"%" PRIu64 "\" y=\"%u\" width=\"%" PRIu64
				"\" height=\"%u\" fill=\"%s\"/>\n",
				x, y, x_of(scale, turn->at_us[i] + turn->span_us[i]) - x + 1,
				ROW - 4, colours[i]);
	}
	fprintf(out,
		"<text x=\"%" PRIu64 "\" y=\"%u\">%s%s%s (%" PRIu64 ".%03" PRIu64 " s)</text>\n",
		x_of(scale, turn->end_us) + 5, y + ROW - 7, turn->name,
		turn->state == LEA_TURN_ACTIVE ? "" : " ",
		turn->state == LEA_TURN_ACTIVE ? "" : lea_turn_word(turn->state),
		(turn->end_us - turn->start_us) / 1000000,
		(turn->end_us - turn->start_us) / 1000 % 1000);
}

void lea_timeline_draw(FILE *out, const struct lea_timeline_view *view)
{
	const struct scale scale = {
		.from_us = view->first_us,
		.us = view->last_us > view->first_us ? view->last_us - view->first_us : 1,
		.height = TOP + (view->turn_count + 1) * ROW,
	};

	fprintf(out,
		"<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
		"height=\"%u\" font-family=\"sans-serif\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		"<text x=\"%u\" y=\"16\">Activation of VGs, boot %s</text>\n",
		LEFT + WIDTH + NAME_ROOM, scale.height + ROW, LEFT, view->boot);
	draw_legend(out);
	draw_scale(out, &scale);
	for (uint32_t i = 0; i < view->turn_count; i++)
		draw_turn(out, &scale, &view->turn[i], TOP + i * ROW);
	draw_moment(out, &scale, view->closed_us, "gate closed");
	draw_moment(out, &scale, view->ready_us, "caught up");
	draw_moment(out, &scale, view->deadline_us, "deadline");
	draw_moment(out, &scale, view->open_us, "gate open");
	fprintf(out, "</svg>\n");
}
