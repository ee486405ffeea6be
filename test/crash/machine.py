# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine for crash tests: a tree of files that stands for /, the real programs of a crash build, and
units that behave like the package's units under systemd."""
import contextlib
import ctypes
import fcntl
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "test", "bench"))
import pvimage  # noqa: E402

CONF = """devices { filter = [ "a|.*|" ] use_devicesfile = 0 hints = "none" }
activation { monitoring = 0 }
"""
# A record as lvm2 reads it: numbers, then at most these two lines.
RECORD = re.compile(r"(\d+):(\d+)\n(?:vg:([A-Za-z0-9+_.-]+)\n)?(?:dev:(/dev/[^\n]+)\n)?")
PATIENCE = 60


class Claims:
    """Prints sentences with a verdict and figures."""

    def __init__(self):
        self.count = self.failed = 0

    def claim(self, sentence, problems):
        """@problems: a list of texts; empty: the claim holds."""
        self.count += 1
        self.failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok'}: {sentence}", flush=True)
        for line in problems[:10]:
            print(f"    {line}", flush=True)


def find_build(given):
    """Returns the folder of a crash build; builds it if none is given."""
    folder = given or os.environ.get("LVMEVENT_CRASH_BUILD")
    if not folder:
        folder = os.path.join(tempfile.gettempdir(), "lvmevent-crash-build")
        os.makedirs(folder, exist_ok=True)
        print(f".. building in {folder}", file=sys.stderr, flush=True)
        for command in (["autom4te", "--language=autoconf", f"--cache={folder}/cache", "-o",
                         f"{folder}/configure", f"{TOP}/configure.ac"],
                        [f"{folder}/configure", f"--srcdir={TOP}", "--prefix=/usr",
                         "--enable-crash-steps", "--enable-werror"]):
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "crash-programs"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(os.path.abspath(folder), "build")


def own_namespace():
    """Restarts this program, once, in its own mount namespace."""
    if os.geteuid():
        raise SystemExit("root only: a mount namespace")
    if os.environ.get("CRASH_INSIDE") != str(os.getpid()):
        os.environ["CRASH_INSIDE"] = str(os.getpid())
        os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable]
                  + sys.argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


@contextlib.contextmanager
def playground():
    """A tmpfs with a /proc that knows the driver of SCSI disks, and lists as many as a machine may have."""
    folder = tempfile.mkdtemp(prefix="lvmevent-crash-")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755,size=4g", "crash", folder], check=True)
    try:
        os.mkdir(f"{folder}/proc")
        with open(f"{folder}/majors", "w", encoding="utf-8") as file:
            file.write("Block devices:\n  8 sd\n253 device-mapper\n")
        with open(f"{folder}/partitions", "w", encoding="utf-8") as file:
            file.write("major minor  #blocks  name\n\n" + "".join(
                f"   8 {minor:8} {pvimage.DEVICE_BYTES // 1024:10} sd{minor}\n" for minor in range(1, 65)))
        subprocess.run(["mount", "--rbind", "/proc", f"{folder}/proc"], check=True)
        for source, target in (("majors", "devices"), ("partitions", "partitions")):
            subprocess.run(["mount", "--bind", f"{folder}/{source}", f"{folder}/proc/{target}"], check=True)
        yield folder
    finally:
        subprocess.run(["umount", "-R", "-l", f"{folder}/proc"], check=False)
        subprocess.run(["umount", "-l", folder], check=False)
        os.rmdir(folder)


def adopt_orphans():
    """Makes orphans of our children our children: PR_SET_CHILD_SUBREAPER."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def wait_for_orphans(seconds=10):
    """True: no child or orphan is left, killed ones included."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
        except ChildProcessError:
            return True
    return False


class Disk:
    """The instance of a PV that has a device number."""

    def __init__(self, image, pvid, minor, diskseq):
        self.image, self.pvid, self.minor, self.diskseq = image, pvid, minor, diskseq
        self.seqnum = 0  # number of its last event
        self.name = f"sd{minor}"
        self.number = f"8:{minor}"
        self.key = f"{self.number}-{diskseq}"


class Images:
    """PVs as files, made once for all machines."""

    def __init__(self, folder, vgs):
        """@vgs: name to (number of PVs, how many of them, at the end, lack metadata, LVs)"""
        os.makedirs(folder)
        self.vgs, self.vg_ids, self.files = {}, {}, {}
        count = 0
        for number, (name, (size, bare, lvs)) in enumerate(vgs.items()):
            pvids = [pvimage.make_id("PV", count + i) for i in range(size)]
            count += size
            self.vgs[name] = pvids
            self.vg_ids[name] = pvimage.make_id("VG", number)
            text = pvimage.vg_text(name, self.vg_ids[name], pvids, lvs=lvs)
            for i, pvid in enumerate(pvids):
                self.files[pvid] = f"{folder}/{pvid}"
                pvimage.write(self.files[pvid], pvid, text if i < size - bare else None)


class Machine:
    """The tree, its devices, its units."""

    def __init__(self, build, folder, name, images):
        self.build, self.images = build, images
        self.numbers = threading.Lock()
        self.root = f"{folder}/{name}"
        self.steps = f"{folder}/{name}.steps"
        self.proc = f"{folder}/proc"
        self.seqnum = self.kills = 0
        self.then_kill = None  # (role, step): a second kill, after the first
        self.first_killed = None  # where the first process was killed
        self.disks = {}
        self.children = []
        self.log_path = f"{folder}/{name}.log"
        self.make()

    def make(self):
        for path in ("dev", "run/lvm", "run/lock", "run/udev/data", "run/udev/broadcast", "etc/lvm",
                     "sys/dev/block", "sys/class/block", "sys/queue", "sys/holders", "gone",
                     "usr/share/lvmevent", "usr/lib/udev/rules.d"):
            os.makedirs(f"{self.root}/{path}")
        os.makedirs(self.steps)
        os.symlink(self.proc, f"{self.root}/proc")
        self.put("etc/lvm/lvm.conf", CONF)
        self.put("usr/share/lvmevent/69-lvmevent.rules",
                 "# SPDX-License-Identifier: GPL-2.0-or-later\n# lvm2-event-activation\n")
        self.put("usr/lib/udev/rules.d/69-lvm.rules", "")
        self.put("size", f"{pvimage.DEVICE_BYTES // 512}\n")
        self.put("sys/queue/read_ahead_kb", "128\n")

    def remake(self):
        """Resets the machine, with nothing plugged in."""
        for path in (self.root, self.steps):
            shutil.rmtree(path)
        self.disks, self.children = {}, []
        self.seqnum = 0
        self.make()

    def put(self, path, text):
        with open(f"{self.root}/{path}", "w", encoding="utf-8") as file:
            file.write(text)

    def path(self, path):
        return f"{self.root}/run/lvm/{path}"

    def names(self, folder):
        try:
            return sorted(os.listdir(self.path(folder)))
        except FileNotFoundError:
            return []

    def read(self, path):
        try:
            with open(self.path(path), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return None

    # ---- devices

    def next_seqnum(self):
        with self.numbers:
            self.seqnum += 1
            return self.seqnum

    def plug(self, pvid, minor, diskseq):
        """The kernel has the disk and udev has processed it; no event reached us."""
        disk = Disk(self.images.files[pvid], pvid, minor, diskseq)
        disk.seqnum = self.next_seqnum()
        os.link(disk.image, f"{self.root}/dev/{disk.name}")
        folder = f"{self.root}/gone/new-{disk.key}"
        os.mkdir(folder)
        os.link(f"{self.root}/size", f"{folder}/size")
        for name, text in (("dev", f"{disk.number}\n"), ("diskseq", f"{diskseq}\n"),
                           ("uevent", f"MAJOR=8\nMINOR={minor}\nDEVNAME={disk.name}\n"
                                      f"DISKSEQ={diskseq}\n")):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        for name in ("queue", "holders"):
            os.symlink(f"{self.root}/sys/{name}", f"{folder}/{name}")
        # in one step, as in the kernel
        os.rename(folder, f"{self.root}/sys/dev/block/{disk.number}")
        os.symlink(f"../../dev/block/{disk.number}", f"{self.root}/sys/class/block/{disk.name}")
        self.disks[minor] = disk
        self.write_data(disk)
        return disk

    def unplug(self, minor):
        disk = self.disks.pop(minor)
        disk.seqnum = self.next_seqnum()
        os.unlink(f"{self.root}/sys/class/block/{disk.name}")
        os.rename(f"{self.root}/sys/dev/block/{disk.number}",
                  f"{self.root}/gone/{disk.key}-{disk.seqnum}")
        os.unlink(f"{self.root}/dev/{disk.name}")
        os.unlink(f"{self.root}/run/udev/data/b{disk.number}")
        return disk

    def environment(self, disk, action):
        return {"ACTION": action, "SUBSYSTEM": "block", "DEVTYPE": "disk", "MAJOR": "8",
                "MINOR": str(disk.minor), "DISKSEQ": str(disk.diskseq),
                "SEQNUM": str(disk.seqnum), "DEVNAME": f"/dev/{disk.name}",
                "ID_FS_TYPE": "LVM2_member", "ID_FS_UUID": pvimage.hyphened(disk.pvid),
                "LVMEVENT_FIRST": pvimage.hyphened(disk.pvid)}

    def write_data(self, disk):
        text = "".join(f"{k}={v}\n" for k, v in self.environment(disk, "add").items())
        self.put(f"run/udev/new-{disk.key}", text)
        os.rename(f"{self.root}/run/udev/new-{disk.key}", f"{self.root}/run/udev/data/b{disk.number}")

    def broadcast(self, disk):
        path = f"{self.root}/run/udev/broadcast/b{disk.number}"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        with open(path, "w", encoding="utf-8"):
            pass

    # ---- processes

    def ask_to_kill(self, role, step, label="-"):
        """The next process of @role dies at its @step-th step."""
        self.kills += 1
        with open(f"{self.steps}/new", "w", encoding="utf-8") as file:
            file.write(f"{role} {step} {self.kills} {label}\n")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{self.steps}/killed")
        os.rename(f"{self.steps}/new", f"{self.steps}/kill")

    def was_killed(self, whole=False):
        """Where the process was killed; None: no process reached the step. @whole: with time and pid."""
        try:
            with open(f"{self.steps}/killed", encoding="utf-8") as file:
                line = file.read().split("\n")[-2]
                return line if whole else " ".join(line.split()[2:])
        except FileNotFoundError:
            return None

    def stop_killing(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{self.steps}/kill")

    def record_trace(self):
        with open(f"{self.steps}/trace", "w", encoding="utf-8") as file:
            file.write(f"# {os.path.basename(self.root)}\n")

    def note_planted(self, key):
        """Tells the trace that none of our programs made this entry in taken/."""
        if os.path.exists(f"{self.steps}/trace"):
            with open(f"{self.steps}/trace", "a", encoding="utf-8") as file:
                file.write(f"{time.monotonic_ns()} 0 world planted {key}\n")

    def note_end(self, pid, was_killed):
        """Tells the trace that this process has ended."""
        if was_killed and f" {pid} " in (self.was_killed(whole=True) or ""):
            return  # the trace has that already
        if os.path.exists(f"{self.steps}/trace"):
            with open(f"{self.steps}/trace", "a", encoding="utf-8") as file:
                file.write(f"{time.monotonic_ns()} 0 world {'killed' if was_killed else 'exited'} "
                           f"{pid}\n")

    def start(self, *words, env=None):
        """Starts a program of the package: "enqueue", or a verb of ours."""
        log = open(self.log_path, "ab")
        if words[0] == "enqueue":
            command = [f"{self.build}/enqueue", "--run-dir", f"{self.root}/run/lvm"]
        else:
            command = [f"{self.build}/test/crash/drive", self.root, *words]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 env=dict(env or {}, LVMEVENT_STEPS=self.steps))
        log.close()
        self.children.append(child)
        return child

    def end_of(self, child, seconds=PATIENCE):
        """Waits and returns the exit code; -9: killed."""
        code = child.wait(seconds)
        self.note_end(child.pid, code == -signal.SIGKILL)
        return code

    def kill_children(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
                child.wait()

    def run(self, *words, env=None):
        return self.end_of(self.start(*words, env=env))

    def enqueue(self, disk, action="add"):
        return self.run("enqueue", env=self.environment(disk, action))

    # ---- state

    def is_locked(self):
        """Does a runner hold its lock? Reads /proc/locks and does not take the lock."""
        try:
            fd = os.open(self.path("event/lock"), os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind = struct.unpack("hhqqi4x", fcntl.fcntl(fd, fcntl.F_GETLK, whole))[0]
            return kind != fcntl.F_UNLCK
        finally:
            os.close(fd)

    def pending(self, folder="queue"):
        return [name for name in self.names(f"event/{folder}") if name[0] != "."]

    def is_idle(self):
        """By the run files, is nothing pending and no process working?"""
        if self.is_locked() or self.pending() or self.pending("taken"):
            return False
        return not self.is_locked()

    def hidden(self):
        """Temporary files that processes left, except those whose pid another process has by now."""
        paths = glob.glob(f"{self.root}/run/**/.new-*", recursive=True, include_hidden=True)
        return sorted(path[len(self.root):] for path in paths
                      if not os.path.exists(f"/proc/{path.split('.new-')[1].split('-')[0]}"))

    def held_locks(self):
        """Files of lvm2's lock folder, and folders of ours, that are still locked."""
        held = []
        for path in glob.glob(f"{self.root}/run/lock/lvm/*") + [self.path("event/claims")]:
            if not os.path.exists(path):
                continue
            fd = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(path[len(self.root):])
            finally:
                os.close(fd)
        return held + (["/run/lvm/event/lock"] if self.is_locked() else [])

    def nodes(self):
        """Returns the dm devices: name to (state, table, creates, loads, resumes)."""
        text = subprocess.run([f"{self.build}/test/crash/drive", self.root, "dm"], text=True,
                              capture_output=True, check=True).stdout
        found = {}
        for line in text.splitlines():
            words, table = line.split("|")
            name, _, state, *counts = words.split()
            found[name] = (state, table, *map(int, counts))
        return found

    def claim_of(self, vg):
        """Our claim of a VG, without the process that wrote it."""
        text = self.read(f"event/claims/{self.images.vg_ids[vg]}")
        return text and "".join(line + "\n" for line in text.split("\n")
                                if line.split(" ")[0] in ("state", "vg", "reason", "pv"))

    def state(self):
        """All state that must be the same after a crash as without one."""
        return {
            "records": {name: self.read(f"pvs_online/{name}") for name in self.names("pvs_online")
                        if name[0] != "."},
            "marks": {name: self.read(f"vgs_online/{name}") for name in self.names("vgs_online")
                      if name[0] != "."},
            "lookups": {name: sorted(self.read(f"pvs_lookup/{name}").split())
                        for name in self.names("pvs_lookup") if name[0] != "."},
            "claims": {vg: self.claim_of(vg) for vg in self.images.vgs},
            "known": [name for name in self.names("event/known") if name[0] != "."],
            "duplicates": [f"{pvid}/{name}" for pvid in self.names("event/duplicates")
                           for name in self.names(f"event/duplicates/{pvid}")],
            "quarantined": self.names("event/failed"),
            "nodes": {name: node[:2] for name, node in self.nodes().items()},
            "gate": [name for name in ("boot-finished", "event/gate-armed")
                     if os.path.exists(self.path(name))],
        }

    def malformed(self):
        """Run files that lvm2 could not parse."""
        bad = []
        for name in self.names("pvs_online"):
            if name[0] != "." and not RECORD.fullmatch(self.read(f"pvs_online/{name}")):
                bad.append(f"pvs_online/{name}: {self.read(f'pvs_online/{name}')!r}")
        for name in self.names("pvs_lookup"):
            if name[0] != "." and not re.fullmatch(r"(?:[A-Za-z0-9]{32}\n)+",
                                                   self.read(f"pvs_lookup/{name}")):
                bad.append(f"pvs_lookup/{name}: {self.read(f'pvs_lookup/{name}')!r}")
        return bad


class Runner:
    """lvmevent-runner.service and its path unit: Restart=on-failure, DirectoryNotEmpty."""

    def __init__(self, machine):
        self.machine = machine
        self.child = None
        self.starts = 0
        self.peak_kib = 0  # highest VmHWM of all runners

    def start(self):
        if self.machine.then_kill and self.machine.was_killed():
            self.machine.first_killed = self.machine.was_killed()
            self.machine.ask_to_kill(*self.machine.then_kill)
            self.machine.then_kill = None
        self.child = self.machine.start("run", "--stay")
        self.starts += 1

    def measure(self):
        with contextlib.suppress(OSError):
            with open(f"/proc/{self.child.pid}/status", encoding="utf-8") as file:
                found = re.search(r"^VmHWM:\s+(\d+)", file.read(), re.M)
            self.peak_kib = max(self.peak_kib, int(found[1]) if found else 0)

    def check(self):
        """What PID 1 does: restarts or starts the runner if its units say so."""
        if self.child is None:
            if self.machine.pending():
                self.start()
            return
        code = self.child.poll()
        if code is None:
            return
        self.machine.note_end(self.child.pid, code == -signal.SIGKILL)
        self.child = None
        if code:
            self.start()

    def is_asleep(self):
        """Does the runner wait for an event? It has removed half-written files by then."""
        try:
            with open(f"/proc/{self.child.pid}/stat", encoding="utf-8") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
            infos = [f"/proc/{self.child.pid}/fdinfo/{n}" for n in os.listdir(f"/proc/{self.child.pid}/fdinfo")]
            return state == "S" and any(has_watch(info) for info in infos)
        except OSError:
            return False

    def wait_idle(self, until=lambda: True, seconds=PATIENCE):
        """Runs until nothing is left to do. False: took too long."""
        end = time.monotonic() + seconds
        calm = 0
        while time.monotonic() < end:
            self.check()
            calm = calm + 1 if self.child and self.machine.is_idle() and until() else 0
            if calm >= 3 and self.is_asleep():
                return True
            time.sleep(0.004)
        return False

    def stop(self):
        if self.child and self.child.poll() is None:
            self.measure()
            self.child.terminate()
            self.machine.end_of(self.child)
        self.child = None


def has_watch(info):
    """Is this descriptor, by its text in /proc/PID/fdinfo, an inotify with a watch?"""
    with open(info, encoding="utf-8") as file:
        return "inotify wd:" in file.read()


def differences(expected, actual, path=""):
    """Lines that describe how two states differ."""
    if expected == actual:
        return []
    if isinstance(expected, dict) and isinstance(actual, dict):
        found = []
        for key in sorted(set(expected) | set(actual)):
            found += differences(expected.get(key), actual.get(key), f"{path}/{key}")
        return found
    return [f"{path}: {actual!r} in place of {expected!r}"]
