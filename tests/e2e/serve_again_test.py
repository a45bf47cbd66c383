#!/usr/bin/env python3
"""Candidates that are asked for again, or taken up in a night that was moved."""

import json
import subprocess
import time

from harness import main, TIMEOUT
from serving import Serving, kernel


class Again(Serving):
    def test_a_night_that_was_moved_goes_on(self):
        ended = {"id": "ended", "source": kernel(3), "stage": "check"}
        process, lines = self.serve()
        first = lines.ask(ended)
        self.assertEqual(first["verdict"], "right")
        begun = {"id": "begun", "source": kernel(20)}
        lines.send(begun)
        deadline = time.monotonic() + TIMEOUT
        while not (self.folder / "night/double-000002/journal.sqlite").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        process.kill()
        process.wait()
        process.stdin.close()
        (self.folder / "night").rename(self.folder / "moved")
        process, lines = self.serve(night="moved")
        self.assertEqual(lines.ask(ended), first | {"study": str(self.folder / "moved/double-000001")})
        self.assertEqual(lines.ask(begun)["verdict"], "faster")
        self.end(process, lines)

    def test_an_error_is_no_judgement_and_is_tried_again(self):
        ask = {"id": "1", "source": kernel(3), "stage": "check"}
        own = (self.folder / "double.cc").read_text()
        process, lines = self.serve()
        self.assertEqual(lines.ask({"id": "0", "source": kernel(4), "stage": "check"})["verdict"], "right")
        self.write("double.cc", own + "// another\n")
        told = lines.ask(ask)
        self.assertEqual(told["verdict"], "error")
        self.assertIn("double.cc has changed", told["reason"])
        self.assertEqual(lines.ask(ask)["verdict"], "error")
        self.write("double.cc", own)
        answer = lines.ask(ask)
        self.assertEqual(answer["verdict"], "right")
        self.assertEqual(lines.ask(ask), answer)
        self.end(process, lines)
        process, lines = self.serve()
        self.assertEqual(lines.ask(ask), answer)
        self.end(process, lines)

    # Its machine code is more than two megabytes.
    LARGE = "extern const float table[600000];\nconst float table[600000] = {1};\n"

    def test_a_candidate_that_finds_no_room_is_told_so_and_tried_again(self):
        disk = self.small_disk("4m")
        ask = {"id": "1", "source": self.LARGE + kernel(3), "stage": "check"}
        process, lines = self.serve(night=disk / "night")
        told = lines.ask(ask)
        self.assertEqual(told["verdict"], "error")
        self.assertIn("no space left", told["reason"])
        subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
        self.assertEqual(lines.ask(ask)["verdict"], "right")
        self.end(process, lines)
        studies = json.loads(self.run_nightshift("status", disk / "night", "--json").stdout)
        self.assertEqual(len(studies["batches"][0]["studies"]), 2)


if __name__ == "__main__":
    main()
