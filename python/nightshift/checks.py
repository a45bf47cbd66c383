"""Of the zygote: the process that compares candidates' answers (checker.py), and what it has found right.

A worker asks by {"id": .., "compare": {..}}, behind its token, and is told {"compared": ..}. What is
wrong, and by how much, reaches no candidate's process. An answer with figures goes to the parent only
where each answer that a trial owes has been found right."""

import json

from .answers import FRESH
from .lines import parsed

_TAKEN = ("case", "seed", "test", "named", "bytes")  # of what a worker says


class Checks:
    """start(): makes the process, a Child (child.py); watch, leave: of descriptors."""

    def __init__(self, start, watch, leave):
        self._start, self._watch, self._leave = start, watch, leave
        self.child, self.worker = None, None
        self.request, self.cases = {}, 1
        self._right, self._wrong, self._asked, self._tries = set(), None, None, 0

    def begin(self, line):
        """Another request has begun."""
        self.request = parsed(line) or {}
        self._right, self._wrong = set(), None

    def abandon(self):
        """The worker is no more. A comparison that has not ended may never end."""
        if self._asked is not None:
            self._asked = None
            self.end()

    def process(self):
        """Ids of the process, for a set."""
        return {self.child.process} if self.child else set()

    def ask(self, worker, members):
        """What a worker wants to have compared."""
        self.worker, self._tries = worker, 0
        taken = {name: members[name] for name in _TAKEN if name in members} \
            if isinstance(members, dict) else {}
        for name in ("configuration", "baseline", "trust"):
            if name in self.request:
                taken[name] = self.request[name]
        taken["made_from"] = self.request.get("seed", 0)
        self._asked = taken
        self._send()

    def _send(self):
        self._tries += 1
        if self.child is None:
            self.child = self._start()
            for descriptor in self.child.descriptors():
                self._watch(descriptor)
        self.child.send((json.dumps({"id": 0, "do": "compare", **self._asked}) + "\n").encode())

    def look_at(self, ready):
        """Takes what has come by these descriptors."""
        child = self.child
        if child is None:
            return
        if child.errors in ready and child.read_errors() == b"":
            self._leave(child.errors)
        if child.replies.descriptor in ready:
            for line in child.read_replies():
                self._take(parsed(line) or {})
        if child.ended in ready:
            self._bury()

    def _take(self, found):
        if self._asked is None or not ("right" in found or "failure" in found):
            return
        child_asked, self._asked = self._asked, None
        if "right" in found:
            self.cases = found["cases"]
            self._right.add((child_asked.get("case"), child_asked.get("seed")))
            self.worker.tell({"compared": True, "right": found["right"]})
        else:
            self._wrong = found
            self.worker.tell({"compared": False})

    def _bury(self):
        words = self.child.last_words()
        self.end()
        if self._asked is None:
            return
        if self._tries < 2:
            self._send()
        else:
            self._take({"failure": "launch_failed", "words": "the process in which the reference is "
                        f"computed has ended: {words}"})

    def end(self):
        """Ends the process."""
        child, self.child = self.child, None
        if child is None:
            return
        for descriptor in child.descriptors():
            self._leave(descriptor)
        child.kill()
        child.close()

    def judged(self, found):
        """What a worker says at its end, as it is told to the parent."""
        number = {"id": found.get("id")}
        if found.get("elsewhere"):
            wrong = self._wrong or {"failure": "wrong_result", "words": "the answer is wrong"}
            return {**wrong, **number}
        if "failure" in found or "infeasible" in found:
            return found
        seed = self.request.get("seed", 0)
        seeds = [seed] if found.get("given_up") is True else [seed, seed + FRESH]
        owed = {(case, one) for case in range(self.cases) for one in seeds}
        if owed <= self._right:
            return found
        return {**number, "failure": "launch_failed",
                "words": "it says that it was measured, and its answers were not shown to be right"}
