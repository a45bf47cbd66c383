"""python3 -m nightshift http: the lines of `nightshift serve` as HTTP on loopback."""

import concurrent.futures
import hmac
import http.server
import ipaddress
import json
import pathlib
import urllib.parse

from .errors import UserError
from .flashinfer_door import BadRequest, Tasks
from .lines import tell
from .service import Service

MOST_BYTES = 4 << 20  # of a body, as of a line
MOST_SECONDS = 3600  # that an answer is waited for
ASKS = {"/judge": "judge", "/cancel": "cancel", "/settle": "settle", "/status": "status"}
TASKS = ("/evaluate", "/tasks/batch")  # of flashinfer-bench's server


class Door(http.server.ThreadingHTTPServer):
    """The server; `token` is what requests have to bring, or ""; `definitions`: folders of what was
    imported from flashinfer-bench."""

    daemon_threads = True

    def __init__(self, address, service, token="", definitions=()):
        super().__init__(address, _Handler)
        self.service, self.token = service, token
        self.tasks = Tasks(service.submit, service.problems, definitions)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds, for a request to come

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/":
            self._answer(200, {"nightshift": self.server.service.version, "protocol": 1,
                               "problems": self.server.service.problems})
        elif url.path == "/status":
            self._ask({"ask": "status"})
        elif not self._did(lambda tasks: tasks.get(url.path, dict(urllib.parse.parse_qsl(url.query)))):
            self._answer(404, {"error": f"nothing is at {url.path}; see GET / and POST /judge"})

    def do_POST(self):
        path = urllib.parse.urlsplit(self.path).path
        body = self._body()
        if body is None:
            return
        if path not in (*ASKS, *TASKS):
            self._answer(404, {"error": f"nothing is at {path}; there are "
                                        f"{', '.join((*ASKS, *TASKS))}"})
            return
        try:
            request = json.loads(body or b"{}")
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            self._answer(400, {"error": "expected a JSON object"})
            return
        if path in TASKS:
            self._did(lambda tasks: tasks.post(path, request))
        else:
            self._ask(dict(request, ask=ASKS[path]))

    def _did(self, does):
        """Whether something of flashinfer-bench's was asked for, and was answered."""
        if not self._may_ask():
            self._refuse_who()
            return True
        try:
            answer = does(self.server.tasks)
        except BadRequest as error:
            self._answer(error.code, {"detail": error.words})
            return True
        if answer is not None:
            self._answer(200, answer)
        return answer is not None

    def _refuse_who(self):
        self._answer(401, {"error": "'Authorization: Bearer TOKEN' is missing or another one"})

    def _body(self):
        """Of a request that may ask; None where it was refused."""
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdigit():
            self.close_connection = True
            self._answer(411, {"error": "Content-Length is missing"})
            return None
        if int(size) > MOST_BYTES:
            self.close_connection = True
            self._answer(413, {"error": f"the body is longer than {MOST_BYTES >> 20} MiB"})
            return None
        return self.rfile.read(int(size))

    def _ask(self, request):
        if not self._may_ask():
            self._refuse_who()
            return
        try:
            answer = self.server.service.ask(request, MOST_SECONDS)
        except (TimeoutError, concurrent.futures.TimeoutError):
            self._answer(504, {"error": "no verdict yet; the same id asks for it again"})
        except OSError as error:
            self._answer(503, {"error": str(error)})
        else:
            self._answer(400 if "error" in answer else 200, answer)

    def _may_ask(self):
        if not self._is_named_as_here():
            return False
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return not self.server.token or hmac.compare_digest(given.encode("latin-1", "replace"),
                                                            self.server.token.encode())

    def _is_named_as_here(self):
        """A page of another host, whose name points to this one, is none of those who may ask."""
        name = urllib.parse.urlsplit("//" + self.headers.get("Host", "")).hostname or ""
        return name in ("localhost", "") or _is_loopback(name)

    def _answer(self, code, answer):
        data = json.dumps(answer).encode() + b"\n"
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format, *arguments):
        """Nothing: the service has its own record."""


def _is_loopback(host):
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _token_in(file):
    try:
        lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--token-file {file}: {error}") from None
    if not lines or len(lines[0].strip()) < 16:
        raise UserError(f"--token-file {file}: its first line has fewer than 16 characters")
    return lines[0].strip()


def main(arguments):
    """Serves until it is interrupted. Returns the exit code."""
    if not _is_loopback(arguments.host):
        raise UserError(f"--host {arguments.host} is no loopback address: candidates run as you, so "
                        "nobody else may ask; a tunnel (ssh -L) leads here from elsewhere")
    token = _token_in(arguments.token_file) if arguments.token_file else ""
    with Service(arguments.socket) as service:
        try:
            door = Door((arguments.host, arguments.port), service, token,
                        arguments.definitions or ())
        except OSError as error:
            raise UserError(f"cannot listen at {arguments.host} port {arguments.port}: "
                            f"{error.strerror or error}") from None
        tell(f"http://{arguments.host}:{door.server_port} judges {', '.join(service.problems)}\n")
        try:
            door.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            door.server_close()
    return 0
