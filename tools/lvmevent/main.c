/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lvmevent/lvmevent.h"

int main(int argc, char *argv[])
{
	return lea_program_main(&lea_lvmevent, argc, argv);
}
