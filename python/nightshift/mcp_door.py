"""python3 -m nightshift mcp: a running `nightshift serve` as tools of the Model Context Protocol, over
standard input and output (JSON-RPC 2.0, a line each)."""

import json
import sys
import threading

from .lines import MOST_BYTES
from .service import Service
from .version import __version__

PROTOCOLS = ("2025-06-18", "2025-03-26", "2024-11-05")  # the newest first
PARSE, REQUEST, METHOD, ARGUMENTS = -32700, -32600, -32601, -32602  # errors of JSON-RPC

_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}


def _tool(name, does, members, required=()):
    return {"name": name, "description": does,
            "inputSchema": {"type": "object", "properties": members, "required": list(required),
                            "additionalProperties": False}}


def tools(problems):
    """What `tools/list` tells, for these names of problems."""
    problem = {"type": "string", "enum": list(problems)}
    client = dict(_TEXT, description="whose night it is")
    return [
        _tool("judge", "Judges the source of a kernel: does it build, is it right for unseen inputs, "
              "and is it faster, in pairs, than the best that was kept so far? The answer has the "
              "verdict, its interval, compiler messages, or the first wrong element.",
              {"source": dict(_TEXT, description="the whole source file"),
               "problem": problem, "client": client, "id": _TEXT,
               "stage": {"type": "string", "enum": ["check", "screen", "confirm", "claim"],
                         "description": "check: builds and is right; screen: one evaluation as well; "
                         "confirm: a duel; claim (default): new data as well, and only then kept"},
               "priority": _NUMBER, "deadline": _NUMBER, "seconds": _NUMBER}, ["source"]),
        _tool("status", "How many candidates were judged and kept, and which one is the incumbent.",
              {}),
        _tool("settle", "Measures the incumbent against the problem's own source on new data.",
              {"problem": problem, "client": client}),
        _tool("cancel", "Ends a candidate that still waits or runs.", {"id": _TEXT,
                                                                      "client": client}, ["id"]),
    ]


class _Door:
    def __init__(self, service, out):
        self._service, self._out, self._lock = service, out, threading.Lock()
        self._tools = {tool["name"] for tool in tools(service.problems)}

    def say(self, identity, **members):
        line = json.dumps({"jsonrpc": "2.0", "id": identity, **members})
        with self._lock:
            self._out.write(line + "\n")
            self._out.flush()

    def refuse(self, identity, code, words):
        self.say(identity, error={"code": code, "message": words})

    def take(self, line):
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            self.refuse(None, PARSE, "expected a JSON object a line")
            return
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            self.refuse(None, REQUEST, "expected an object with a method")
            return
        if "id" not in request:
            return  # a notification
        parameters = request.get("params")
        if parameters is not None and not isinstance(parameters, dict):
            self.refuse(request["id"], ARGUMENTS, "params must be an object")
            return
        self._do(request["id"], request["method"], parameters or {})

    def _do(self, identity, method, parameters):
        if method == "initialize":
            asked = parameters.get("protocolVersion")
            self.say(identity, result={
                "protocolVersion": asked if asked in PROTOCOLS else PROTOCOLS[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "nightshift", "version": __version__}})
        elif method == "ping":
            self.say(identity, result={})
        elif method == "tools/list":
            self.say(identity, result={"tools": tools(self._service.problems)})
        elif method == "tools/call":
            self._call(identity, parameters.get("name"), parameters.get("arguments") or {})
        else:
            self.refuse(identity, METHOD, f"nothing is called {method}")

    def _call(self, identity, name, arguments):
        if name not in self._tools or not isinstance(arguments, dict):
            self.refuse(identity, ARGUMENTS, f"no tool is called {name}")
            return
        future = self._service.submit(dict(arguments, ask=name))
        future.add_done_callback(lambda done: self._tell(identity, done))

    def _tell(self, identity, done):
        error = done.exception()
        answer = {"error": str(error)} if error else done.result()
        self.say(identity, result={"content": [{"type": "text", "text": json.dumps(answer)}],
                                   "structuredContent": answer, "isError": "error" in answer})


def main(arguments):
    """Serves until standard input ends. Returns the exit code."""
    with Service(arguments.socket) as service:
        door = _Door(service, sys.stdout)
        while line := sys.stdin.readline(8 * MOST_BYTES):
            if line.strip():
                door.take(line)
    return 0
