"""The process that has imported everything and never touches a GPU. It relays the protocol's lines
and forks the worker, and another one after each death: a crash costs a fork and not an import.
Where workers have died, and on a GPU once it explores, a spare one is kept, which has its context
already. A process that only confirms does without: the driver makes contexts one after the other,
whoever they are for, and has what is measured meanwhile wait for its memory.

Nothing that a worker or its descendants print reaches standard output, and nothing that they read
is a request: descriptors 0 and 1 are moved away before the user's file is imported."""

import contextlib
import gc
import os
import select
import selectors
import signal

from . import processes
from .checks import Checks
from .child import Child
from .describing import hello
from .errors import UserError
from .lines import Lines, mend_streams, parsed, take_streams, write_frame, write_line
from .loading import load, stand_in
from .same_space import expect_same
from .starting import forkers, spawners_of, why_not_fork


class Zygote:
    """Relays until standard input ends. start(theirs, ours): makes a worker, see Child.
    spare_from_start: whether the first worker to die while it explores has one that follows at once;
    first: a worker that is there already; start_checker: of the process that compares candidates'
    answers, None where each worker does."""

    def __init__(self, start, requests, out, spare_from_start=False, follow=None, first=None,
                 start_checker=None):
        self.follow = follow or (lambda: None)
        self.start, self.requests, self.out = start, Lines(requests), out
        self.spare_from_start = spare_from_start
        self.spared = set(processes.children_of(os.getpid()))  # what importing has started
        self.spared -= {first.process} if first else set()
        self.current, self.waiting, self.line = None, [], b""
        self.heard = False  # of the current request
        self.sent_again = False  # to a second worker
        self.spent = False  # the worker has said that its next answer is the last
        self.selector = selectors.DefaultSelector()
        self.selector.register(requests, selectors.EVENT_READ)
        self.child, self.spare = None, first
        # Made once the worker has begun, so that it waits for nobody.
        self.wants_spare = self.had_another = False
        self.checks = start_checker and Checks(
            lambda: Child(start_checker, beside=self.child),
            lambda one: self.selector.register(one, selectors.EVENT_READ),
            self._leave)

    def run(self):
        self._new_child()
        while not self.requests.ended:
            ready = {key.fd for key, _ in self.selector.select()}
            child = self.child
            if child is not None:
                self._look_at(child, ready)
            if self.checks:
                self.checks.look_at(ready)
            if self.requests.descriptor in ready:
                for line in self.requests.read():
                    self._take(line)
        processes.kill_all_but(self.spared)

    def _look_at(self, child, ready):
        if child.errors in ready and child.read_errors() == b"":
            self.selector.unregister(child.errors)
        if child.replies.descriptor in ready:
            self._relay()
        if child is self.child and child.ended in ready:
            self._bury()

    def _close_child(self):
        if self.child is not None:
            if self.checks:
                self.checks.abandon()
            for descriptor in self.child.descriptors():
                self._leave(descriptor)
            self.child.close()
            self.child = None

    def _leave(self, descriptor):
        if descriptor in self.selector.get_map():
            self.selector.unregister(descriptor)

    def _new_child(self):
        # Where none can serve at all a spare couldn't either.
        self.had_another = self.child is not None
        self.wants_spare = self.child.served if self.child else self.spare_from_start
        self._close_child()
        self.child, self.spent = self._take_spare() or Child(self.start), False
        for descriptor in self.child.descriptors():
            self.selector.register(descriptor, selectors.EVENT_READ)

    def _take_spare(self):
        spare, self.spare = self.spare, None
        if spare is not None and spare.has_ended():
            os.waitpid(spare.process, 0)
            spare.close()
            return None
        return spare

    def _kill_rest(self):
        """What workers have left behind: all but what importing has started, and the spare."""
        kept = self.spared if self.spare is None else self.spared | {self.spare.process}
        kept = kept | self.checks.process() if self.checks else kept
        processes.kill_all_but(kept)

    def _take(self, line):
        request = parsed(line)
        if request is None:
            return
        if request.get("do") == "drop":
            self._drop(request.get("id"))
        elif request.get("do") in ("build", "measure") and "id" in request:
            self.waiting.append((request["id"], line + b"\n"))
            self._next()

    def _next(self):
        if self.current is None and self.waiting:
            self.current, self.line = self.waiting.pop(0)
            self.heard = self.sent_again = False
            if self.child is None:
                self._new_child()
            self.follow()
            self._begin()

    def _begin(self):
        if self.checks:
            self.checks.begin(self.line)
        self.child.send(self.line)

    def _drop(self, number):
        self.waiting = [one for one in self.waiting if one[0] != number]
        if number == self.current:
            self.current = None
            self._replace()
        write_frame(self.out, {"dropped": number})
        self._next()

    def _relay(self):
        for line in self.child.read_replies():
            found = parsed(line)
            if found is None or self.current is None:
                continue
            if "stale" in found and not self.sent_again:
                # What broke the context was not this request, which goes to one that is whole.
                self._send_again()
                return
            self.spent = self.spent or "spent" in found
            if found.get("id") != self.current:
                continue
            self.heard = self.child.served = True
            if self.wants_spare and (self.had_another or _explores(self.line)):
                self.wants_spare, self.spare = False, Child(self.start, beside=self.child)
            if self.checks and "compare" in found:
                self.checks.ask(self.child, found["compare"])
                continue
            self._tell(line, found)
            if "phase" not in found:
                self.current = None
                if self.spent:
                    self._replace()
                    self._next()
                    return
                self._next()
        if self.child.replies.ended and self.child.replies.descriptor in self.selector.get_map():
            # Whoever closes this pipe can't be heard any more; its end is seen by `ended`.
            self.selector.unregister(self.child.replies.descriptor)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.child.process, signal.SIGKILL)

    def _tell(self, line, found):
        if self.checks and "phase" not in found:
            write_frame(self.out, self.checks.judged(found))
        else:
            write_line(self.out, line + b"\n")

    def _replace(self):
        # A request must not reach a worker that is about to end: it would count for its death.
        self._kill_rest()
        self._new_child()

    def _bury(self):
        child = self.child
        # It is a zombie still, so that its id is its own.
        _, status = os.waitpid(child.process, 0)
        how = {"signal": os.WTERMSIG(status)} if os.WIFSIGNALED(status) else {
            "exit": os.WEXITSTATUS(status)}
        self._kill_rest()
        if child.replies.descriptor in self.selector.get_map():
            self.selector.unregister(child.replies.descriptor)
        # Whoever could write has ended: both pipes have an end.
        while child.read_errors():
            pass
        while not child.replies.ended:
            self._relay()
            if child is not self.child:
                return
        if self.current is not None and not self.heard and not self.sent_again:
            # It had not begun: what it died of came before. Once, since a `where` may be what kills.
            self._send_again()
            return
        died, self.current = self.current, None
        if died is not None:
            write_frame(self.out, {"id": died, "died": how, "words": child.last_words()})
        if child.served or self.waiting:
            self._new_child()
        else:
            self._close_child()  # one that can't even start is tried again when it is needed
        self._next()

    def _send_again(self):
        self.sent_again = True
        self._replace()
        self._begin()


def _explores(line):
    """Whether a request is of an exploration, which gives up what is slow. Baselines and confirmations
    don't."""
    return "give_up_above" in (parsed(line) or {})


def _first_words(child):
    """What a worker that imports the file itself says when it has: a dict, or the exit code where it has
    ended instead."""
    watched = list(child.descriptors())
    while True:
        has_ended = child.ended in select.select(watched, [], [])[0]
        data = b"more"
        while data:
            data = child.read_errors()
        if data == b"" and child.errors in watched:
            watched.remove(child.errors)
        for line in child.read_replies():
            found = parsed(line)
            if found and "ready" in found:
                return found
        if has_ended:
            _, status = os.waitpid(child.process, 0)
            return os.waitstatus_to_exitcode(status)


def serve(arguments, follow=None):
    """The subcommand `serve`. Returns the exit code; raises UserError where the file is wrong. follow:
    called before each request."""
    if os.environ.get("NIGHTSHIFT_PROTOCOL") != "2":
        raise UserError("serve speaks protocol 2 and is started by nightshift, which says so by "
                        "NIGHTSHIFT_PROTOCOL=2")
    role = os.environ.get("NIGHTSHIFT_ROLE", "measure")
    requests, out = take_streams()
    if getattr(arguments, "unshared", ""):
        return _serve_spawned(arguments, role, requests, out, follow)
    stand_in(arguments.file)
    problem = load(arguments.file, arguments.problem)
    mend_streams()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a file that ignores it would hide deaths
    cases = problem.pick(arguments.case)
    expect_same(problem.space, arguments.space, role)
    # A collection in a worker need not look at what importing made, nor copy its pages.
    gc.collect()
    gc.freeze()
    processes.adopt_orphans()
    why = why_not_fork()
    if why:
        starts = spawners_of(arguments, role, why)
    else:
        starts = forkers(problem, cases, role, (requests, out))
    # A context of a GPU takes half a second to make, one of a CPU nothing.
    zygote = Zygote(starts[0], requests, out, role == "measure" and problem.device == "gpu", follow,
                    start_checker=starts[1])
    return _relayed(zygote, hello(problem))


def _serve_spawned(arguments, role, requests, out, follow):
    """Where this process could not fork workers: it leaves the import to them."""
    processes.adopt_orphans()
    start, start_checker = spawners_of(arguments, role, arguments.unshared)
    child = Child(start)
    words = _first_words(child)
    if not isinstance(words, dict):
        if words < 0:
            processes.end_by(-words)
        return words
    zygote = Zygote(start, requests, out, role == "measure" and words["device"] == "gpu", follow, child,
                    start_checker)
    return _relayed(zygote, words["ready"])


def _relayed(zygote, words):
    def end(*_):
        processes.kill_all_but(zygote.spared)
        os._exit(143)

    signal.signal(signal.SIGTERM, end)
    write_frame(zygote.out, words)
    zygote.run()
    return 0
