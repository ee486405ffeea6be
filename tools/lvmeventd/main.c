/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lvmeventd/lvmeventd.h"

int main(int argc, char *argv[])
{
	return lea_program_main(&lea_lvmeventd, argc, argv);
}
