#!/usr/bin/env python3
"""Ends geak at random points: SIGKILL of one of its processes, files that may not grow (disk full),
no memory. After each blow the cache and the records must be readable, and at the end the next run
must go on and find a gain.

usage: chaos.py GEAK_PREFIX PROJECT BLOWS [--seed N]"""
import argparse
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

BUDGET = "4"  # seconds of each search: long enough to be in every phase when the blow comes


def fail(text):
    print(f"FAILED: {text}", flush=True)
    sys.exit(1)


def descendants(root):
    """Processes below `root`, itself first, from /proc."""
    parents = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError, ValueError):
            continue  # it ended meanwhile
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


class Project:
    def __init__(self, prefix, source, folder):
        self.geak = os.path.join(prefix, "bin/geak")
        self.prefix = prefix
        self.build = os.path.join(folder, "build")
        self.cache = os.path.join(folder, "cache")
        self.environment = {**os.environ, "GEAK_CACHE_DIR": self.cache, "TMPDIR": folder}
        project = os.path.join(folder, "project")
        shutil.copytree(source, project)
        self.run(["cmake", "-S", project, "-B", self.build, "-G", "Ninja",
                  "-DCMAKE_CXX_COMPILER=hipcc", f"-Dgeak_DIR={prefix}/lib/cmake/geak"])
        self.run(["cmake", "--build", self.build])
        # Builds the unswapped twin, which is not what is to be ended here.
        self.run(["cmake", "--build", self.build, "--target", "geak-optimize"],
                 {"GEAK_CACHE_DIR": os.path.join(folder, "first-cache")})

    def run(self, command, more=None):
        done = subprocess.run(command, capture_output=True, text=True,
                              env={**self.environment, **(more or {})}, timeout=900)
        if done.returncode:
            fail(f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def records(self):
        folder = os.path.join(self.build, "geak/records")
        return [os.path.join(folder, name) for name in os.listdir(folder)]

    def start(self, limit=None):
        def before():
            os.setpgid(0, 0)
            if limit:
                resource.setrlimit(limit[0], (limit[1], limit[1]))
        return subprocess.Popen([self.geak, "optimize", "-p", self.build, "--budget", BUDGET,
                                 "--again"], env=self.environment, preexec_fn=before,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def check(self, blow):
        """Everything that a blow may have hit can still be read."""
        file = os.path.join(self.cache, "geak.db")
        for name in os.listdir(self.cache) if os.path.isdir(self.cache) else []:
            if ".corrupt-" in name:
                fail(f"after {blow}: the cache was moved aside: {name}")
        if os.path.exists(file):
            database = sqlite3.connect(file, timeout=30)
            verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
            database.close()
            if verdict != "ok":
                fail(f"after {blow}: integrity_check: {verdict}")
        status = json.loads(self.run([self.geak, "status", "-p", self.build, "--json"]))
        if status["problems"]:
            fail(f"after {blow}: geak status: {status['problems']}")
        for record in self.records():
            if not record.endswith(".geakrec"):
                continue
            held = subprocess.run([self.geak, "trial", "--record", record, "--kernel", "?"],
                                  capture_output=True, text=True, env=self.environment)
            # "no such kernel" is said by who could read the file.
            if "has no launch of" not in held.stderr + held.stdout:
                fail(f"after {blow}: {record} can't be read: {held.stderr}{held.stdout}")


def kill_one(project, choose):
    running = project.start()
    time.sleep(choose.uniform(0.05, 6.0))
    victims = descendants(running.pid)
    victim = choose.choice(victims)
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        pass
    # What goes on without the one that was killed is ended as well, now and then.
    if victim != running.pid and choose.random() < 0.5:
        os.killpg(running.pid, signal.SIGKILL)
    wait(project, running)
    return "SIGKILL of " + ("geak" if victim == running.pid else "one that it started")


def wait(project, running):
    try:
        running.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        fail("geak optimize does not end")


def limit_files(project, choose):
    size = choose.choice([0, 1 << 12, 1 << 16, 1 << 18, 1 << 20])
    wait(project, project.start((resource.RLIMIT_FSIZE, size)))
    return f"files of at most {size} bytes"


def limit_memory(project, choose):
    size = choose.choice([64, 128, 256, 400, 600, 900]) << 20
    wait(project, project.start((resource.RLIMIT_AS, size)))
    return f"{size >> 20} MiB of memory"


def record_anew(project, choose):
    """The recorder: what it leaves of an archive is read, up to the blow."""
    archive = os.path.join(project.build, "geak/records/again.geakrec")
    program = os.path.join(project.build, "geak/original/smooth")
    running = subprocess.Popen([project.geak, "record", "-o", archive, "--", program],
                               env=project.environment, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(choose.uniform(0.05, 2.0))
    try:
        os.kill(choose.choice(descendants(running.pid)), signal.SIGKILL)
    except ProcessLookupError:
        pass
    running.wait(timeout=300)
    # An archive that was cut off within its first bytes is none yet.
    if os.path.exists(archive) and os.path.getsize(archive) < 64:
        os.remove(archive)
    return "SIGKILL while recording"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("project")
    parser.add_argument("blows", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    choose = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="geak-chaos.") as folder:
        project = Project(os.path.abspath(options.prefix), options.project, folder)
        kinds = [kill_one, kill_one, limit_files, limit_memory, record_anew]
        for number in range(options.blows):
            blow = kinds[number % len(kinds)](project, choose)
            project.check(blow)
            print(f"{number + 1}: {blow}: readable", flush=True)
        out = project.run([project.geak, "optimize", "-p", project.build, "--again", "--budget",
                           "20", "--json"])
        outcomes = [kernel["outcome"] for kernel in json.loads(out)["kernels"]]
        if outcomes != ["improved"]:
            fail(f"the next run does not go on: {out}")
        print("the next run went on and found a gain")


main()
