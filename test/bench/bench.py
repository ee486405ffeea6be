# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by the measurements: packages, a build, an own /run, counters, raw files."""
import concurrent.futures
import contextlib
import ctypes
import datetime
import fcntl
import json
import os
import platform
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PACKAGES = {"valgrind": "valgrind", "strace": "strace", "losetup": "mount", "lvm": "lvm2"}
BUILD_PACKAGES = ["gcc", "libc6-dev", "make", "autoconf", "pkg-config", "libdevmapper-dev",
                  "libudev-dev", "libblkid-dev", "libsystemd-dev", "libjson-c-dev"]


def say(text):
    print(f".. {text}", file=sys.stderr, flush=True)


def install(names):
    """Installs missing Debian packages."""
    def is_there(name):
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", name], capture_output=True,
                              text=True, check=False)
        return "ok installed" in done.stdout
    missing = [name for name in names if not is_there(name)]
    if not missing:
        return
    say("installing " + " ".join(missing))
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends"] + missing):
        subprocess.run(["apt-get"] + command, env=env, check=True, stdout=subprocess.DEVNULL)


def setup(tools):
    if os.geteuid():
        raise SystemExit("bench: root only: loop devices and a mount namespace")
    install([PACKAGES[tool] for tool in tools if not shutil.which(tool)] + ["python3-matplotlib"])


def own_namespace():
    """Restarts this program, once, in its own mount namespace with an empty /run."""
    if os.environ.get("BENCH_INSIDE") != str(os.getpid()):
        os.environ["BENCH_INSIDE"] = str(os.getpid())
        os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable]
                  + sys.argv)
    # On SIGTERM, too, loop devices and folders are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "run", "/run"], check=True)
    os.makedirs("/run/lvm", 0o700)
    os.makedirs("/run/lock")


def find_build(given):
    """Returns a folder in which `make bench-programs` works; makes one if none is given."""
    folder = given or os.environ.get("LVMEVENT_BUILD")
    if not folder:
        install(BUILD_PACKAGES)
        folder = os.path.join(tempfile.gettempdir(), "lvmevent-bench-build")
        os.makedirs(folder, exist_ok=True)
        say(f"building in {folder}")
        for command in (["autom4te", "--language=autoconf", f"--cache={folder}/cache", "-o",
                         f"{folder}/configure", f"{TOP}/configure.ac"],
                        [f"{folder}/configure", f"--srcdir={TOP}", "--prefix=/usr"]):
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "bench-programs"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(os.path.abspath(folder), "build")


# ---- counters

# The functions in which our forked children begin: in callgrind a child starts with its parent's counts.
CHILDREN = ["spawn", "lea_hanging_child", "child_main", "exec_child"]

def instructions(command, env, folder, function=None, **how):
    """User-space instructions of @command and its children; with @function also that function's calls."""
    for name in os.listdir(folder):
        if name.startswith("cg."):
            os.unlink(os.path.join(folder, name))
    done = subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=yes", "-q",
                           *[f"--zero-before={name}" for name in CHILDREN],
                           f"--callgrind-out-file={folder}/cg.%p"] + command,
                          env=dict(os.environ if env is None else env, BENCH_UNCONFINED="1"),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=False, **how)
    wait_for_orphans()
    total = calls = 0
    for name in os.listdir(folder):
        if name.startswith("cg."):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                text = file.read()
            # Not "totals": for a child these include its parent's counts.
            total += sum(map(int, re.findall(r"^summary: (\d+)", text, re.M)[-1:]))
            calls += count_calls(text, function) if function else 0
    if not total:
        raise SystemExit(f"bench: callgrind counted nothing: {done.stderr}")
    return (total, calls) if function else total


def own_instructions(command, folder):
    """Of the process alone: the child that reads the devices polls for a varying time."""
    valgrind = ["valgrind", "--tool=callgrind", "-q", f"--callgrind-out-file={folder}/cg.%p"]
    with subprocess.Popen(valgrind + command, env=dict(os.environ, BENCH_UNCONFINED="1"),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        process.communicate()
        with open(f"{folder}/cg.{process.pid}", encoding="utf-8", errors="replace") as file:
            return int(re.findall(r"^summary: (\d+)", file.read(), re.M)[-1])


def count_calls(text, function):
    """Calls of one function in a callgrind file, which has each name in full only once."""
    number = re.search(r"^c?fn=\((\d+)\) " + re.escape(function) + r"(?:'\d+)?$", text, re.M)
    if not number:
        return 0
    found = re.findall(r"^cfn=\(" + number[1] + r"\).*\ncalls=(\d+)", text, re.M)
    return sum(map(int, found))


def trace(command, env, folder, *options, **how):
    """Lines of strace, one for each system call (two if another thread interrupts the call)."""
    path = os.path.join(folder, "trace")
    subprocess.run(["strace", "-f", "-s", "200", "-o", path, *options] + command, env=env,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **how)
    wait_for_orphans()
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            line = line.split(maxsplit=1)[1] if line[:1].isdigit() else line
            if not line.startswith(("+++", "---")):
                yield line


def wall(command, env):
    """Runs a command; returns the seconds it takes."""
    began = time.perf_counter()
    pid = os.posix_spawn(command[0], command, env, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    os.waitpid(pid, 0)
    return time.perf_counter() - began


PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Makes detached grandchildren our children, so that we can wait for them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wait_for_orphans():
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def peak_kib(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
    except (OSError, TypeError):
        return 0


def run_watched(command, env, **how):
    """Returns (seconds, user CPU seconds, {process: peak resident KiB}); samples the peaks."""
    peaks, over = {"main": 0, "others": 0}, threading.Event()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    began = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, **how) as process:
        def watch():
            while not over.wait(0.001):
                peaks["main"] = max(peaks["main"], peak_kib(process.pid))
                below = [p for p in children(os.getpid()) if p != process.pid]
                for pid in below + children(process.pid):
                    peaks["others"] = max(peaks["others"], peak_kib(pid))
        watcher = threading.Thread(target=watch)
        watcher.start()
        code = process.wait()
        seconds = time.perf_counter() - began
        over.set()
        watcher.join()
    wait_for_orphans()
    if code:
        raise SystemExit(f"bench: {' '.join(command)} ended with {code}")
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, peaks


# ---- loop devices

LOOP_CONFIGURE, LOOP_CLR_FD, LOOP_CTL_GET_FREE, LOOP_CTL_REMOVE = 0x4C0A, 0x4C01, 0x4C82, 0x4C81
LO_FLAGS_READ_ONLY = 1


def detach(device):
    """Detaches a loop device, and removes its node unless it is one of the first eight."""
    with open(device, "rb") as file:
        fcntl.ioctl(file, LOOP_CLR_FD)
    number = int(device[len("/dev/loop"):])
    if number >= 8:
        with open("/dev/loop-control", "rb") as control, contextlib.suppress(OSError):
            fcntl.ioctl(control, LOOP_CTL_REMOVE, number)


class Loops:
    """Loop devices that are removed with this object."""

    def __init__(self):
        self.devices = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The kernel waits for readers of each device; in parallel the waits overlap.
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            list(pool.map(detach, reversed(self.devices)))
        self.devices = []

    def attach(self, path, read_only=False):
        with open("/dev/loop-control", "rb") as control:
            for _ in range(1000):
                device = f"/dev/loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
                try:
                    return self._configure(device, path, read_only)
                except OSError as fault:
                    if fault.errno not in (16, 2):  # another process took it, or it does not exist yet
                        raise
        raise SystemExit("bench: no free loop device")

    def _configure(self, device, path, read_only):
        mode = "rb" if read_only else "r+b"
        with open(path, mode) as image, open(device, mode) as loop:
            info = bytearray(304)
            struct.pack_into("<II", info, 0, image.fileno(), 0)
            # lo_flags of struct loop_info64, which is at byte 8
            struct.pack_into("<I", info, 8 + 52, LO_FLAGS_READ_ONLY if read_only else 0)
            fcntl.ioctl(loop, LOOP_CONFIGURE, bytes(info))
        self.devices.append(device)
        return device


# ---- raw files

def host():
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*: (.*)", file.read(), re.M)
        model = found[1] if found else platform.machine()
    return {"cpu": model, "cpus": os.cpu_count(), "kernel": platform.release()}


def finish(raw, out):
    """Writes @raw and its report; returns the exit code."""
    raw = {"bench": raw["bench"], "when": datetime.datetime.now(datetime.timezone.utc)
           .isoformat(timespec="seconds"), "host": host(),
           "command": " ".join(["test/bench/" + os.path.basename(sys.argv[0])] + sys.argv[1:])} | raw
    os.makedirs(f"{out}/raw", exist_ok=True)
    path = f"{out}/raw/{raw['bench']}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(raw, file, indent=1, ensure_ascii=False)
        file.write("\n")
    return subprocess.run([f"{HERE}/report", "--out", out, path], check=False).returncode
