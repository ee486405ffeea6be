/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: a MARK can be passed only if it is the next line of the trace. The search looks for one
 * run of the model that passes all lines. The program "replay" puts the trace into the
 * environment's TRACE: lines of numbers "SLOT LABEL LAST"; LAST: this is the process's last line.
 */
#define DRAINERS 4
#define LINES	 32000

hidden byte tr_slot[LINES], tr_label[LINES], tr_last[LINES];
hidden short tr_count;
short at;
bool last_said[DRAINERS], buried[DRAINERS], said[DRAINERS]; /* said: it logged its death before it died */

c_code
{

	static int furthest;

	static void tell(void)
	{
		printf("furthest %d of %d\n", furthest, (int)tr_count);
	}

	static void passed(int line)
	{
		if (line > furthest)
			furthest = line;
		if (line == tr_count)
			exit(0);
	}

	static void read_trace(void)
	{
		FILE *in = fopen(getenv("TRACE"), "r");
		int slot, label, last;

		tr_count = 0;
		while (in && tr_count < LINES &&
		       fscanf(in, "%d %d %d", &slot, &label, &last) == 3) {
			tr_slot[tr_count] = slot;
			tr_label[tr_count] = label;
			tr_last[tr_count++] = last;
		}
		if (!in || !tr_count)
			exit(2);
		fclose(in);
		atexit(tell);
	}
};

/* Guards of silent choices: without them the search tries each choice at each line of the others. */
#define NEXT(who, label) (at < tr_count && tr_slot[at] == who && tr_label[at] == label)

#define MARK(who, label)                                                                           \
	atomic                                                                                     \
	{                                                                                          \
		(at < tr_count && tr_slot[at] == who && tr_label[at] == label)                     \
				->if ::tr_last[at] &&                                              \
			who < DRAINERS->last_said[who % DRAINERS] = true ::else fi;                \
		at++;                                                                              \
		c_code                                                                             \
		{                                                                                  \
			passed(now.at);                                                            \
		}                                                                                  \
	};
