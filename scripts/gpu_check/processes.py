"""Starts programs whose outputs go to files as they come, waits within a time limit, and ends them whole.

Every program gets a session of its own, so that all processes that it started can be found and ended with it.
Open MPI's ranks leave the process group of mpirun, but not its session. PyTorch's compilers may leave both."""

import os
import signal
import subprocess
import threading
import time

EXIT_TIME_LIMIT = 124
END_S = 10     # passes from SIGTERM, on which mpirun ends its ranks, to SIGKILL
POLL_S = 0.25  # passes at most until a wait notices that gpu-check itself is to stop


def running():
    """Returns parent and session of every process, by id, without processes that have ended."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                # The name before the last parenthesis may hold blanks.
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] not in (b"Z", b"X"):
            found[int(name)] = (int(fields[1]), int(fields[3]))
    return found


def members(session, known=frozenset()):
    """Returns the ids of the processes in the session, of the known processes, and of all that they have started."""
    processes = running()
    found = {process for process, (_, its_session) in processes.items()
             if its_session == session or process in known}
    while True:
        more = {process for process, (parent, _) in processes.items() if parent in found} - found
        if not more:
            return found
        found |= more


def send(session, wanted, known=frozenset()):
    """Sends the signal, and returns the processes that got it."""
    found = members(session, known)
    for process in found:
        try:
            os.kill(process, wanted)
        except ProcessLookupError:
            pass
    return found


class Processes:
    """Starts and ends the programs of one gpu-check, whose threads share it."""

    def __init__(self, end_s=END_S):
        self.end_s = end_s
        self.stopped_by = ""  # this signal ends gpu-check

    def stop(self, signal_name):
        """Makes every wait end its program soon; safe in a signal handler."""
        self.stopped_by = signal_name
        self.end_s = min(self.end_s, 3)

    def start(self, words, environment, folder, outputs, stdin=subprocess.DEVNULL):
        """Starts a program; `outputs` are two files, or a pipe and a file. @throws OSError"""
        return subprocess.Popen(words, env=environment, cwd=folder, stdin=stdin, stdout=outputs[0],
                                stderr=outputs[1], start_new_session=True)

    def wait(self, process, deadline):
        """Returns the exit code, or EXIT_TIME_LIMIT where the program had to be ended."""
        while True:
            left_s = deadline - time.monotonic()
            if left_s <= 0 or self.stopped_by:
                self.end(process)
                return EXIT_TIME_LIMIT
            try:
                code = process.wait(timeout=min(left_s, POLL_S))
            except subprocess.TimeoutExpired:
                continue
            send(process.pid, signal.SIGKILL)  # some ranks outlive mpirun
            return code

    def end(self, process):
        """Sends SIGTERM to the program and all that it started, and after a while SIGKILL to the rest.

        Processes of other sessions are remembered, since nobody knows them by their parent once it has ended."""
        known = send(process.pid, signal.SIGTERM)
        end = time.monotonic() + self.end_s
        while time.monotonic() < end:
            if process.poll() is not None and not members(process.pid, known):
                return
            time.sleep(0.05)
        send(process.pid, signal.SIGKILL, known)
        # A call into the driver that never returns cannot be killed, and must not hold up the rest.
        end = time.monotonic() + self.end_s
        while (process.poll() is None or members(process.pid, known)) and time.monotonic() < end:
            time.sleep(0.02)

    def pause(self, process):
        send(process.pid, signal.SIGSTOP)

    def resume(self, process):
        send(process.pid, signal.SIGCONT)


class Collector(threading.Thread):
    """Copies what a pipe brings into a file at once, and hands each whole line on."""

    def __init__(self, pipe, path, receive):
        super().__init__(daemon=True)
        self.pipe, self.path, self.receive = pipe, path, receive

    def run(self):
        with open(self.path, "ab", buffering=0) as file:
            for line in self.pipe:
                try:
                    file.write(line)
                except OSError:
                    pass  # a full disk must not end a check
                self.receive(line.decode("utf-8", errors="replace"))
        self.receive(None)
