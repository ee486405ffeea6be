/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* D3, D13 and D15: who waits, and for what. */
#include "doctor/check.h"

#include "base/append.h"

#include <inttypes.h>
#include <stdio.h>

#define BLOCKED_LEAST_S	    10U
#define COOKIE_SETS_PERCENT 50U
#define PRESSURE_LIMIT	    2000U /* hundredths of a percent */

/* ---- D3 */

static void tell_blocked(const struct lea_doctor_facts *facts, const struct lea_doctor_task *task,
			 const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;
	char object[LEA_DOCTOR_OBJECT_BYTES], pid[16];

	snprintf(object, sizeof(object), "%s (pid %d)", task->command, task->pid);
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.text = object}, &finding);
	finding.device = task->device;
	finding.why = "a task in this state cannot be killed; what waits for it waits as well";
	lea_doctor_evidence(&finding, "blocked in the kernel for %" PRIu64 " s or longer",
			    task->blocked_s);
	if (task->wchan[0] && task->wchan[0] != '0')
		lea_doctor_evidence(&finding, " (%s)", task->wchan);
	if (task->device[0])
		lea_doctor_evidence(&finding, ", uses %s", task->device);
	if (task->lock[0])
		lea_doctor_evidence(&finding, ", holds %s", task->lock);
	snprintf(pid, sizeof(pid), "%d", task->pid);
	lea_next_set(&finding.next, LEA_LOOK("cat /proc/$1/stack; journalctl -k -b"), pid);
	lea_doctor_tell(report, &finding);
}

static void tell_holder(const struct lea_doctor_facts *facts, const struct lea_doctor_task *task,
			const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;
	char object[LEA_DOCTOR_OBJECT_BYTES], pid[16];

	snprintf(object, sizeof(object), "%s (pid %d)", task->command, task->pid);
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.text = object}, &finding);
	finding.why = "commands and events that need this lock wait until it is released";
	snprintf(pid, sizeof(pid), "%d", task->pid);
	if (task->has_ended) {
		lea_doctor_evidence(&finding,
				    "took the lock %s up to %" PRIu64
				    " s ago, and another process, which it began, has it still",
				    task->lock, task->age_s);
		/* Who has the open file has its lock, too; lslocks knows only who took it. */
		lea_next_set(&finding.next,
			     LEA_LOOK("grep -s ^lock: /proc/[0-9]*/fdinfo/* | grep -w $1"), pid);
	} else {
		lea_doctor_evidence(&finding, "holds the lock %s for up to %" PRIu64 " s",
				    task->lock, task->age_s);
		lea_next_set(&finding.next,
			     LEA_LOOK("lslocks -p $1; ps -o pid,ppid,etime,stat,args $1"), pid);
	}
	lea_doctor_tell(report, &finding);
}

static void tell_lockups(const struct lea_doctor_facts *facts,
			 const struct lea_doctor_report *report)
{
	const struct lea_doctor_kernel *kernel = &facts->machine.kernel;
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.text = "workqueues"},
			 &finding);
	finding.why = "requests of disks and file systems wait for a worker of the kernel";
	lea_doctor_evidence(&finding,
			    "the kernel reported %" PRIu32 " lockup%s of a workqueue in the last "
			    "day, the longest of %" PRIu64 " s",
			    kernel->lockups, kernel->lockups == 1 ? "" : "s", kernel->lockup_s);
	lea_next_set(&finding.next, LEA_LOOK("journalctl -k -b"));
	lea_doctor_tell(report, &finding);
}

static void tell_kills(const struct lea_doctor_facts *facts, const struct lea_doctor_report *report)
{
	const struct lea_doctor_kernel *kernel = &facts->machine.kernel;
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.text = "memory"}, &finding);
	finding.why = "a command of lvm that is killed can leave devices suspended";
	lea_doctor_evidence(&finding,
			    "for lack of it the kernel killed %" PRIu32 " process%s in the last "
			    "day, the last: %s",
			    kernel->kills, kernel->kills == 1 ? "" : "es", kernel->victim);
	lea_next_set(&finding.next, LEA_LOOK("journalctl -k -b"));
	lea_doctor_tell(report, &finding);
}

void lea_doctor_check_tasks(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	if (!facts->tasks.is_read)
		lea_doctor_not_known(report, "/proc cannot be read");
	for (uint32_t i = 0; i < facts->tasks.count; i++) {
		const struct lea_doctor_task *task = &facts->tasks.task[i];

		if (task->blocked_s >= BLOCKED_LEAST_S)
			tell_blocked(facts, task, report);
		else if (task->lock[0] && task->age_s >= BLOCKED_LEAST_S)
			tell_holder(facts, task, report);
	}
	if (!facts->disks.has_kernel_ring)
		lea_doctor_not_known(report, "the kernel's messages cannot be read");
	if (facts->machine.kernel.lockups)
		tell_lockups(facts, report);
	if (facts->machine.kernel.kills)
		tell_kills(facts, report);
}

/* ---- D13 */

void lea_doctor_check_semaphores(const struct lea_doctor_facts *facts,
				 struct lea_doctor_report *report)
{
	const struct lea_doctor_semaphores *semaphores = &facts->machine.semaphores;
	struct lea_doctor_finding finding;

	if (!semaphores->is_read || !semaphores->limit) {
		lea_doctor_not_known(report, "/proc/sysvipc/sem or the limit cannot be read");
		return;
	}
	if (semaphores->sets * 100 <= semaphores->limit * COOKIE_SETS_PERCENT)
		return;
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.text = "semaphores"},
			 &finding);
	finding.why = "without a free set no LV can be activated: device-mapper needs one for each "
		      "wait for udev";
	lea_doctor_evidence(&finding,
			    "%" PRIu64 " of %" PRIu64 " sets are in use; %" PRIu64
			    " are device-mapper's, of these %" PRIu64 " older than 10 minutes",
			    semaphores->sets, semaphores->limit, semaphores->cookies,
			    semaphores->old_cookies);
	if (semaphores->old_cookies)
		lea_next_set(&finding.next, LEA_LOOK("dmsetup udevcookies"));
	else
		lea_next_set(&finding.next, LEA_LOOK("ipcs -s; sysctl kernel.sem"));
	lea_doctor_tell(report, &finding);
}

/* ---- D15 */

void lea_doctor_check_pressure(const struct lea_doctor_facts *facts,
			       struct lea_doctor_report *report)
{
	const uint64_t full = facts->machine.io_full_percent_100;
	struct lea_doctor_finding finding;

	if (full == LEA_DOCTOR_UNKNOWN) {
		lea_doctor_not_known(report, "the kernel has no /proc/pressure/io");
		return;
	}
	/* Pressure is what a slow disk or a blocked task does to all others. */
	if (full <= PRESSURE_LIMIT || report->names_waiting)
		return;
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.text = "I/O"}, &finding);
	finding.why = "in this time no task did anything but wait for disks";
	lea_doctor_evidence(&finding,
			    "all tasks waited for I/O for %" PRIu64 ".%02" PRIu64
			    " %% of the last minute",
			    full / 100, full % 100);
	lea_next_set(&finding.next, LEA_LOOK("iostat -x 2 5"));
	lea_doctor_tell(report, &finding);
}
