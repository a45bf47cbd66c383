"""The routes of flashinfer-bench's server (POST /evaluate, GET /tasks/ID and so on), over a running
`nightshift serve` of problems that `python3 -m nightshift import flashinfer-bench` has written."""

import concurrent.futures
import datetime
import glob
import hashlib
import json
import math
import os
import platform
import threading
import time
import uuid

from .errors import UserError
from .flashinfer_bench import json_of, read_solution, short
from .foreign_files import text_of

MOST_SECONDS = 3600  # that a request waits for tasks
_KEPT = 3600  # seconds, of tasks that are done
_LIBRARIES = ("python", "torch", "triton", "numpy")
_STATUS = {"build_failed": "COMPILE_ERROR", "timed_out": "TIMEOUT",
           "wrong_result": "INCORRECT_NUMERICAL"}
_MILLISECONDS = {"s": 1e3, "ms": 1.0, "us": 1e-3, "ns": 1e-6}


class BadRequest(Exception):
    """An answer with a code of HTTP and a sentence."""

    def __init__(self, code, words):
        super().__init__(words)
        self.code, self.words = code, words


class _Task:
    def __init__(self, definition, solution, workloads, futures):
        self.id, self.definition, self.solution = uuid.uuid4().hex, definition, solution
        self.workloads, self.futures, self.done = workloads, futures, None

    def answer(self):
        """As GET /tasks/ID tells it."""
        waiting = [one for one in self.futures if not one.done()]
        told = {"task_id": self.id, "status": "running" if waiting else "completed",
                "definition": self.definition, "solution": self.solution, "traces": None,
                "error": None}
        if waiting:
            return told
        self.done = self.done or time.monotonic()
        answers = [{"error": str(one.exception())} if one.exception() else one.result()
                   for one in self.futures]
        errors = [one["error"] if "error" in one else one.get("reason", "")
                  for one in answers if one.get("verdict", "error") in ("error", "cancelled", "late")]
        if errors or not answers:
            told.update(status="failed", error=errors[0] if errors else
                        f"No workloads found for definition: {self.definition}")
            return told
        told["traces"] = [{"definition": self.definition, "workload": workload,
                           "solution": self.solution, "evaluation": evaluation_of(answer)}
                          for workload, answer in zip(self.workloads, answers)]
        return told


class Tasks:
    """Solutions that are evaluated. ask: submits a request and returns a future of the answer;
    problems: names of what is served; folders: of imported definitions. Raises UserError."""

    def __init__(self, ask, problems, folders):
        self._ask, self._problems, self._lock, self._tasks = ask, set(problems), threading.Lock(), {}
        self.definitions, self.workloads = {}, {}
        for folder in folders:
            found = _definitions_in(folder)
            if not found:
                raise UserError(f"--definitions {folder}: nothing there was imported from "
                                "flashinfer-bench")
            for file in found:
                definition = json_of(file)
                workloads = json.loads(text_of(
                    os.path.join(os.path.dirname(file), "workloads.json")))
                self.definitions[definition["name"]] = definition
                self.workloads[definition["name"]] = [
                    {name: one[name] for name in ("uuid", "axes", "inputs")} for one in workloads]

    def get(self, path, query):
        """The answer to a GET, or None where nothing of ours is at the path. Raises BadRequest."""
        parts = [one for one in path.split("/") if one]
        if parts == ["definitions"]:
            return [{"name": name, "description": one.get("description")}
                    for name, one in self.definitions.items()]
        if parts == ["health"]:
            return {"status": "ok", "workers": [], "queue_size": self._waiting()}
        if parts[:1] == ["definitions"] and len(parts) in (2, 3):
            if parts[1] not in self.definitions:
                raise BadRequest(404, f"Definition not found: {parts[1]}")
            if len(parts) == 2:
                return self.definitions[parts[1]]
            return self.workloads[parts[1]] if parts[2] == "workloads" else None
        if parts[:1] == ["workloads"] and len(parts) == 2:
            for one in (one for some in self.workloads.values() for one in some):
                if one["uuid"] == parts[1]:
                    return one
            raise BadRequest(404, f"Workload not found: {parts[1]}")
        if parts[:1] == ["tasks"] and len(parts) == 2:
            return self._told([parts[1]], query.get("timeout", 0))[0]
        return None

    def post(self, path, body):
        """The same of a POST with an object."""
        if path == "/evaluate":
            return self._evaluate(body)
        if path == "/tasks/batch":
            return self._told(body.get("task_ids"), body.get("timeout", 0))
        return None

    def _evaluate(self, body):
        solution, wanted = body.get("solution"), body.get("workload_uuids")
        if not isinstance(solution, dict) or not (wanted is None or isinstance(wanted, list)):
            raise BadRequest(422, "expected an object with solution, and workload_uuids as a list")
        try:
            files = read_solution(solution)
        except UserError as error:
            raise BadRequest(422, str(error)) from None
        name = solution["definition"]
        if name not in self.definitions:
            raise BadRequest(400, f"Definition not found: {name}")
        workloads = [one for one in self.workloads[name] if not wanted or one["uuid"] in wanted]
        task = _Task(name, unique_name(solution), workloads, [])
        task.futures = [self._submitted(task, f"{name}-{short(one['uuid'])}", files)
                        for one in workloads]
        with self._lock:
            now = time.monotonic()
            for old in [one.id for one in self._tasks.values()
                        if one.done and now - one.done > _KEPT]:
                del self._tasks[old]
            self._tasks[task.id] = task
        return {"task_id": task.id, "normalized_solution_name": task.solution}

    def _submitted(self, task, problem, files):
        if problem not in self._problems:
            future = concurrent.futures.Future()
            future.set_result({"error": f"{problem} is not served: nightshift serve FOLDER, of the "
                                        "folder that was imported, serves every workload"})
            return future
        # A client of its own, whose incumbent is the reference.
        return self._ask({"id": f"{task.id}-{problem}", "client": task.id, "problem": problem,
                          "stage": "screen", "files": files})

    def _told(self, names, seconds):
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            raise BadRequest(422, "expected an object with task_ids, a list of texts")
        try:
            seconds = float(seconds)
        except (TypeError, ValueError):
            seconds = math.nan
        if not 0 <= seconds <= MOST_SECONDS:
            raise BadRequest(422, f"timeout is a number from 0 to {MOST_SECONDS}")
        with self._lock:
            tasks = [self._tasks.get(name) for name in names]
        for name, task in zip(names, tasks):
            if task is None:
                raise BadRequest(404, f"Task not found: {name}")
        concurrent.futures.wait([one for task in tasks for one in task.futures], seconds)
        return [task.answer() for task in tasks]

    def _waiting(self):
        with self._lock:
            return sum(any(not one.done() for one in task.futures) for task in self._tasks.values())


def _definitions_in(folder):
    found = [os.path.join(folder, "definition.json")]
    found += sorted(glob.glob(os.path.join(folder, "*", "definition.json")))
    return [one for one in found if os.path.isfile(one)]


def unique_name(solution):
    """The solution's name with eight digits of a hash of what it is, as flashinfer-bench has it."""
    spec, digest = solution["spec"], hashlib.sha1()
    parts = [solution["definition"], spec["language"], spec["entry_point"], spec.get("binding") or "",
             *(spec.get("dependencies") or [])]
    for one in solution["sources"]:
        parts += [one["path"], one["content"]]
    for part in parts:
        digest.update(str(part).encode())
    return f"{solution['name']}_{digest.hexdigest()[:8]}"


def evaluation_of(answer):
    """The evaluation of a trace, of an answer of nightshift serve to a screening."""
    conditions = answer.get("conditions") or {}
    failure = answer.get("failure") or {}
    told = {"status": "PASSED", "environment": {
                "hardware": platform.node() or "unknown",
                "libs": {name: conditions[name] for name in _LIBRARIES if name in conditions}},
            "timestamp": datetime.datetime.fromtimestamp(
                answer.get("answered", 0), datetime.timezone.utc).isoformat(),
            "log": "", "correctness": None, "performance": None}
    if answer.get("verdict") == "refused":
        told["status"] = _STATUS.get(answer.get("status"), "RUNTIME_ERROR")
        told["log"] = str(failure.get("messages") or answer.get("reason", ""))
        for words, status in ((" has the shape ", "INCORRECT_SHAPE"),
                              (" has the type ", "INCORRECT_DTYPE")):
            if told["status"] == "INCORRECT_NUMERICAL" and words in told["log"]:
                told["status"] = status
        if told["status"] == "INCORRECT_NUMERICAL":
            told["correctness"] = _errors(failure)
        return told
    time_of = (answer.get("figures") or {}).get("time") or {}
    scale = _MILLISECONDS.get(time_of.get("unit"), math.nan)
    latency, reference = (scale * time_of.get(name, math.nan) for name in ("value", "opponent"))
    # Within the gates: by how much is not told.
    told["correctness"] = {"max_relative_error": "NaN", "max_absolute_error": "NaN", "extra": None}
    told["performance"] = {"latency_ms": latency, "reference_latency_ms": reference,
                           "speedup_factor": reference / latency}
    return told


def _errors(failure):
    got, expected = failure.get("got"), failure.get("expected")
    if not all(isinstance(one, (int, float)) for one in (got, expected)):
        return {"max_relative_error": "NaN", "max_absolute_error": "NaN", "extra": None}
    error = abs(got - expected)
    return {"max_relative_error": error / (abs(expected) + 1e-8), "max_absolute_error": error,
            "extra": {"output": failure.get("output"), "element": failure.get("element")}}
