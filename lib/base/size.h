/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Sizes for people. */
#pragma once

#include "base/err.h"

#include <stdint.h>

#define LEA_SIZE_BYTES 24U

/* "4.0 GiB" */
void lea_size_format(uint64_t bytes, char ret_text[static LEA_SIZE_BYTES]);
