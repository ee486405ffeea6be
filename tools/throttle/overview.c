/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "throttle/overview.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "throttle/run_command.h"

void lea_throttle_all_done(struct lea_throttle_all *all)
{
	for (size_t i = 0; i < all->count; i++) {
		lea_throttle_view_done(&all->class_[i].view);
		free(all->class_[i].in_vgs);
	}
	free(all->class_);
	lea_closep(&all->event_fd);
}

uint64_t lea_throttle_age_ms(const struct lea_throttle_all *all, uint64_t since_ms)
{
	return all->now_ms > since_ms ? all->now_ms - since_ms : 0;
}

static void note_oldest(struct lea_class_view *class_, uint64_t since_ms)
{
	if (!class_->oldest_ms || since_ms < class_->oldest_ms)
		class_->oldest_ms = since_ms;
}

static int add_class(void *arg, const char *name)
{
	struct lea_throttle_all *all = arg;
	struct lea_class_view *class_;
	int r;

	if (!lea_throttle_class_ok(name))
		return 0;
	r = lea_make_room(&all->class_, &all->room, all->count + 1,
			  sizeof(*all->class_));
	if (r)
		return r;
	class_ = &all->class_[all->count];
	*class_ = (struct lea_class_view){.name = ""};
	r = lea_throttle_look(all->event_fd, LEA_THROTTLE_CLASSES, name, &class_->view);
	if (r)
		return r == -ENOENT ? 0 : r;
	snprintf(class_->name, sizeof(class_->name), "%s", name);
	for (size_t i = 0; i < class_->view.waiting_count; i++)
		note_oldest(class_, class_->view.waiting[i].since_ms);
	all->count++;
	return 0;
}

static int take_from_vg(struct lea_class_view *class_, const char *vg,
			const struct lea_throttle_view *view)
{
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; !r && i < view->waiting_count; i++) {
		if (strcmp(view->waiting[i].class_, class_->name) != 0)
			continue;
		r = lea_make_room(&class_->in_vgs, &class_->in_vgs_room, class_->in_vgs_count + 1,
				  sizeof(*class_->in_vgs));
		if (r)
			return r;
		class_->in_vgs[class_->in_vgs_count++] = view->waiting[i];
		note_oldest(class_, view->waiting[i].since_ms);
		count++;
	}
	if (count > class_->in_vg) {
		class_->in_vg = count;
		snprintf(class_->vg, sizeof(class_->vg), "%s", vg);
	}
	return r;
}

static int add_vg(void *arg, const char *name)
{
	struct lea_throttle_all *all = arg;
	struct lea_throttle_view view;
	int r = lea_throttle_look(all->event_fd, LEA_THROTTLE_VGS, name, &view);

	if (r)
		return r == -ENOENT ? 0 : r;
	for (size_t i = 0; !r && i < all->count; i++)
		r = take_from_vg(&all->class_[i], name, &view);
	lea_throttle_view_done(&view);
	return r;
}

int lea_throttle_all_read(struct lea_world *world, struct lea_throttle_all *all)
{
	int r;

	r = all->event_fd = lea_throttle_event_folder(world);
	if (r >= 0)
		r = lea_throttle_each(all->event_fd, LEA_THROTTLE_CLASSES, add_class,
				      all);
	if (!r)
		r = lea_throttle_each(all->event_fd, LEA_THROTTLE_VGS, add_vg, all);
	if (r < 0)
		return r;
	all->is_held = lea_throttle_is_drained(all->event_fd, world->clock);
	all->now_ms = lea_world_now_ms(world);
	if (all->count)
		qsort(all->class_, all->count, sizeof(all->class_[0]),
		      lea_compare_text);
	return 0;
}
