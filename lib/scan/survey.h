/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan of an interactive command: no hanging device stops it. */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "scan/reader.h"
#include "scan/scan.h"
#include "world/world.h"

/*
 * lea_survey_prepare - have a scan of an interactive command read devices in a child, with
 * deadlines
 * @reader: created if NULL; owned by the caller (lea_reader_free)
 * Sets out_of_process and reader of @options. 0 or -errno.
 */
LEA_MUST_CHECK int lea_survey_prepare(struct lea_world *world, const struct lea_conf *conf,
				      struct lea_reader **reader, struct lea_scan_options *options);
/* Logs each device of the scan of which lea_silence_is_open says so. Returns their number. */
size_t lea_survey_tell_unanswered(struct lea_world *world, const struct lea_scan *scan);
