#!/usr/bin/env python3
"""The doors to `nightshift serve` in Python: its client, HTTP on loopback, and tools of MCP."""

import http.client
import json
import os
import re
import subprocess
import sys
import threading

from harness import SOURCE, USAGE, main
from serving import Serving, kernel

sys.path.insert(0, str(SOURCE / "python"))
from nightshift.errors import UserError  # noqa: E402
from nightshift.service import Service  # noqa: E402

TOKEN = "a token of 24 characters"


class Doors(Serving):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "socket"
        self.service = self.serve_at(self.path)

    def door(self, *arguments, **streams):
        path = os.pathsep.join(filter(None, [str(SOURCE / "python"), os.environ.get("PYTHONPATH")]))
        process = self.start("-B", "-m", "nightshift", *arguments, "--socket", self.path,
                             program=sys.executable, env={"PYTHONPATH": path}, **streams)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                self.addCleanup(stream.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def http(self, *arguments):
        process = self.door("http", "--port", "0", *arguments)
        line = process.stderr.readline()
        port = re.fullmatch(r"http://127\.0\.0\.1:(\d+) judges double\n", line)
        self.assertTrue(port, line)
        return int(port.group(1))

    def ask(self, port, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def test_candidates_over_http(self):
        port = self.http()
        self.assertEqual(self.ask(port, "GET", "/")[1]["problems"], ["double"])
        code, answer = self.ask(port, "POST", "/judge", {"id": "1", "source": kernel(5)})
        self.assertEqual((code, answer["id"], answer["verdict"], answer["kept"]),
                         (200, "1", "faster", True))
        code, answer = self.ask(port, "POST", "/judge", {"source": kernel(5), "stage": "check"})
        self.assertEqual((code, answer["verdict"]), (200, "same_code"))
        code, answer = self.ask(port, "GET", "/status")
        self.assertEqual((code, answer["asked"]), (200, 2))
        code, answer = self.ask(port, "POST", "/settle", {})
        self.assertEqual((code, answer["stage"]), (200, "settle"))
        code, answer = self.ask(port, "POST", "/cancel", {"id": "1"})
        self.assertEqual((code, answer["error"]), (400, "it has been answered already"))

    def test_what_http_refuses(self):
        port = self.http()
        self.assertEqual(self.ask(port, "POST", "/judge", b"{")[0], 400)
        self.assertEqual(self.ask(port, "POST", "/judge", b"[" * 100000)[0], 400)
        self.assertEqual(self.ask(port, "POST", "/judge", {"sauce": "x"})[0], 400)
        self.assertEqual(self.ask(port, "POST", "/elsewhere", {})[0], 404)
        self.assertEqual(self.ask(port, "GET", "/judge")[0], 404)
        self.assertEqual(self.ask(port, "GET", "/status", Host="evil.example")[0], 401)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.addCleanup(connection.close)
        connection.putrequest("POST", "/judge")
        connection.putheader("Content-Length", str(5 << 20))
        connection.endheaders()
        self.assertEqual(connection.getresponse().status, 413)

    def test_a_token_is_asked_for(self):
        port = self.http("--token-file", self.write("token", TOKEN + "\n"))
        self.assertEqual(self.ask(port, "GET", "/status")[0], 401)
        self.assertEqual(self.ask(port, "GET", "/status", Authorization="Bearer another")[0], 401)
        self.assertEqual(self.ask(port, "GET", "/status", Authorization="Bearer " + TOKEN)[0], 200)

    def test_mistakes_of_who_opens_a_door(self):
        for arguments, words in ((("--host", "0.0.0.0"), "is no loopback address"),
                                 (("--token-file", self.write("short", "x")), "fewer than 16")):
            process = self.door("http", *arguments)
            self.assertIn(words, process.communicate()[1])
            self.assertEqual(process.returncode, USAGE)
        self.service.kill()
        self.service.wait()
        for door in ("http", "mcp"):
            process = self.door(door)
            self.assertIn("nobody serves at", process.communicate()[1])
            self.assertEqual(process.returncode, USAGE)

    def test_tools_of_mcp(self):
        process = self.door("mcp", stdin=subprocess.PIPE)

        def ask(line):
            process.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        def call(identity, name, arguments):
            return ask({"jsonrpc": "2.0", "id": identity, "method": "tools/call",
                        "params": {"name": name, "arguments": arguments}})
        hello = ask({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                     "params": {"protocolVersion": "2025-03-26"}})
        self.assertEqual(hello["result"]["protocolVersion"], "2025-03-26")
        process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        tools = ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], ["judge", "status", "settle", "cancel"])
        self.assertEqual(tools[0]["inputSchema"]["properties"]["problem"]["enum"], ["double"])
        answer = call(2, "judge", {"source": kernel(1, "3"), "stage": "check"})
        self.assertEqual(answer["id"], 2)
        self.assertFalse(answer["result"]["isError"])
        judged = answer["result"]["structuredContent"]
        self.assertEqual((judged["verdict"], judged["status"]), ("refused", "wrong_result"))
        self.assertEqual(json.loads(answer["result"]["content"][0]["text"]), judged)
        self.assertEqual(call(3, "status", {})["result"]["structuredContent"]["asked"], 1)
        self.assertTrue(call(4, "judge", {"sauce": "x"})["result"]["isError"])
        self.assertEqual(call(5, "forget", {})["error"]["code"], -32602)
        self.assertEqual(ask("{")["error"]["code"], -32700)
        self.assertEqual(ask("7")["error"]["code"], -32600)
        self.assertEqual(ask({"jsonrpc": "2.0", "id": 6, "method": "x"})["error"]["code"], -32601)
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)

    def test_a_client_in_python_asks_from_several_threads(self):
        with Service(self.path) as service:
            self.assertEqual(service.problems, ["double"])
            got = {}

            def judge(number):
                got[number] = service.judge(kernel(number), id=str(number), stage="check")
            threads = [threading.Thread(target=judge, args=(n,)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual({n: (a["id"], a["verdict"]) for n, a in got.items()},
                             {n: (str(n), "right") for n in range(4)})
            self.assertIn("is missing", service.ask({"ask": "cancel", "id": ""})["error"])
            waiting = service.submit({"source": kernel(7)})
            self.service.kill()
            with self.assertRaises(ConnectionError):
                waiting.result(60)
            with self.assertRaises(ConnectionError):
                service.judge(kernel(8))
        with self.assertRaises(UserError):
            Service(self.folder / "nowhere")


if __name__ == "__main__":
    main()
