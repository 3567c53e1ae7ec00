"""Runs PyTorch's process, which starts before all stages, compiles, and is quiet while others are timed.

The process writes JSON lines: {"ready": ...} after loading, {"warmed": ...} after compiling and running every
variant, and one answer to each request. Lines that are no JSON object are ignored."""

import json
import queue
import subprocess
import sys
import time

from gpu_check.bundle import EXIT_ENVIRONMENT, Skip, StageError
from gpu_check.processes import POLL_S, Collector

VARIANTS = ("eager", "compiled")


class Server:
    """Runs peer-torch-gpu.py --serve in the caller's environment, where PyTorch finds its own libraries."""

    def __init__(self, context, workload):
        self.processes, self.outputs = context.processes, context.bundle.outputs
        self.answers, self.is_paused = queue.Queue(), False
        self.hello = self.warmed = None
        out, self.err = self.outputs.pair(f"peer-{workload.name}", "torch")
        words = [sys.executable, str(context.peer_program), "--serve", "--precision",
                 workload.precision or "fp32", "--batch", str(workload.batch),
                 *map(str, context.peer_options())]
        self.outputs.write(f"$ {' '.join(words)}\n  > {out.name} 2> {self.err.name}\n")
        with open(self.err, "wb") as stderr:
            self.process = self.processes.start(
                words, dict(context.caller_environment, GPU_CHECK_STAGE=f"peer-{workload.name}"),
                context.files, (subprocess.PIPE, stderr), stdin=subprocess.PIPE)
        Collector(self.process.stdout, out, self.receive).start()
        self.request({"warm": VARIANTS})

    def receive(self, line):
        """Takes a line from the thread that reads, or None at the end."""
        if line is None:
            self.answers.put(None)
            return
        try:
            answer = json.loads(line)
        except ValueError:
            return
        if isinstance(answer, dict):
            self.answers.put(answer)

    def request(self, document):
        try:
            self.process.stdin.write((json.dumps(document) + "\n").encode())
            self.process.stdin.flush()
        except OSError:
            pass  # the process has ended, and answer() says how

    def answer(self, key, deadline, value=None):
        """Returns the next answer that has the key, with the value if one is given. @throws StageError, Skip"""
        while True:
            if time.monotonic() >= deadline or self.processes.stopped_by:
                raise StageError(f"PyTorch: time limit while waiting for '{value or key}'")
            try:
                answer = self.answers.get(timeout=POLL_S)
            except queue.Empty:
                continue
            if answer is None:
                self.answers.put(None)  # the next call wants to know, too
                self.refuse()
            if key in answer and value in (None, answer[key]):
                return answer

    def refuse(self):
        code = self.processes.wait(self.process, time.monotonic() + self.processes.end_s)
        if code == EXIT_ENVIRONMENT:
            raise Skip("PyTorch is missing or finds no card")
        raise StageError(f"PyTorch: exit code {code}; {self.err.name} has what it printed\n{self.tail()}")

    def tail(self):
        return "\n".join(self.err.read_text(encoding="utf-8", errors="replace").splitlines()[-12:])

    def settle(self, deadline):
        """Waits until everything is compiled. @throws StageError, Skip"""
        self.resume()
        if self.hello is None:
            self.hello = self.answer("ready", deadline)
        if self.warmed is None:
            warmed = self.answer("warmed", deadline)["warmed"]
            if not isinstance(warmed, dict):
                raise StageError(f"PyTorch: {warmed!r} are no times of variants")
            self.warmed = warmed

    def pause(self):
        """Stops its threads, so that other programs have cores and card alone; its memory stays."""
        if self.warmed is None and not self.is_paused:
            self.processes.pause(self.process)
            self.is_paused = True

    def resume(self):
        if self.is_paused:
            self.processes.resume(self.process)
            self.is_paused = False

    def measure(self, variant, steps, deadline):
        self.request({"variant": variant, "steps": steps})
        answer = self.answer("variant", deadline, variant)
        self.outputs.write(f"PyTorch: {json.dumps(answer)}\n")
        return answer

    def close(self):
        self.resume()  # a stopped process would not see SIGTERM
        self.processes.end(self.process)


def start(context, workload):
    """Starts PyTorch, which compiles during the first stages; stage `peer-start` waits for it."""
    context.servers[workload.name] = Server(context, workload)


def close_all(context):
    for server in context.servers.values():
        server.close()
    context.servers.clear()
