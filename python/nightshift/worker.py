"""The process that builds or measures: takes requests from the zygote, may die of any."""

import faulthandler
import os
import traceback

from . import candidates, checker, confining
from .benches import bench_for
from .errors import Failure
from .evaluation import Evaluator
from .failures import failure_of, is_cuda_error
from .lines import Lines, flush, parsed, tell, write_frame

NOTHING = "nothing that this kernel could"  # of how a candidate is confined


class Worker:
    """Serves until its requests end.

    role: "build", "measure" or "check"; requests, replies: descriptors; answers: of the file in which
    candidates' answers go to who compares them (checks.py)
    Each request comes behind a token, and every line about it goes back behind the same one: code that
    is judged, which may find the descriptor, does not know it.
    What it says beside the protocol: {"stale": id}, when the context was broken before the request
    began, by whatever came before; the request is another process's then. {"spent": id}, when the
    answer that follows is the last one."""

    def __init__(self, problem, cases, role, requests, replies, answers=None):
        self.problem, self.requests, self.replies = problem, Lines(requests), replies
        self.token, self.number, self.answers = b"", None, answers
        self.bench = bench_for(problem) if role != "build" else None
        if role == "build":
            from .triton_build import Builder
            self.serve_one = Builder(problem, cases).build
        elif role == "check":
            self.serve_one = checker.Checker(problem, cases, self.bench, answers).compare
        else:
            ask = self._compared if answers is not None else None
            self.serve_one = Evaluator(problem, cases, self.bench, ask=ask).measure
        self.role = role

    def run(self):
        """Until the requests end. Never raises but SystemExit."""
        if self.bench is not None and not self._settles(begins=True):
            os._exit(1)
        while not self.requests.ended:
            for line in self.requests.read():
                self.token, _, line = line.partition(b" ")
                request = parsed(line)
                if request is not None:
                    self._answer(request)

    def _say(self, members):
        write_frame(self.replies, members, self.token + b" ")

    def _compared(self, members, value):
        """What another process says of an answer."""
        size = checker.write(self.answers, value)
        self._say({"id": self.number, "compare": {**members, "bytes": size}})
        while not self.requests.ended:
            for line in self.requests.read():
                token, _, line = line.partition(b" ")
                found = parsed(line)
                if token == self.token and found and "compared" in found:
                    return found
        os._exit(1)

    def _settles(self, begins=False):
        try:
            self.bench.settle()
            if begins:
                self.bench.warm_up()
            return True
        except Exception:
            tell(traceback.format_exc())
            return False

    def _answer(self, request):
        self.number = number = request.get("id")
        if self.bench is not None and not self._settles():
            self._say({"stale": number})
            os._exit(1)
        fatal = False
        # What a candidate has made of this process is no other one's.
        is_last = candidates.are_served() and self.role != "check"
        held = confining.confine(confining.places_of(request)) if is_last else ""
        try:
            answer = self.serve_one(request, lambda phase: self._say({"id": number, "phase": phase}))
            if is_last:
                answer.get("conditions", {})["confined"] = held or NOTHING
                self._say({"spent": number})
            self._say({"id": number, **answer})
        except SystemExit:
            raise
        except BaseException as error:
            if not isinstance(error, Failure):
                tell(traceback.format_exc())
            fatal = is_cuda_error(error)
            failure = failure_of(error, self.problem.file, self.role == "build")
            if fatal or is_last:
                self._say({"spent": number})
            self._say({"id": number, **failure.answer()})
        if is_last:
            flush()
            os._exit(0)
        if fatal:
            # The context is lost for good: nothing that this process does next can be believed.
            flush()
            os._exit(1)
        if self.role == "measure" and self._settles():
            self.bench.tidy()


def work(problem, cases, role, requests, replies, answers=None):
    """Runs a worker to its end, as the whole of this process."""
    faulthandler.enable(2)
    code = 0
    try:
        Worker(problem, cases, role, requests, replies, answers).run()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    except BaseException:
        tell(traceback.format_exc())
        code = 1
    flush()
    os._exit(code & 0xFF)
