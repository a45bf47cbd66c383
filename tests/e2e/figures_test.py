"""What the usual searcher finds and what acceptance decides is what it was: bench-search on recorded spaces
and bench-accept on simulated devices, bounded and from fixed seeds, print the figures of data/figures.json.
Every other searcher: search_history_test.py.

A change that means to move them keeps new ones, and its diff says by how much:

    NIGHTSHIFT_KEEP_FIGURES=1 tools/test -R e2e.figures
"""

import difflib
import json
import os
import subprocess

import harness
from harness import BIN, Case, SOURCE

KEPT = SOURCE / "tests/e2e/data/figures.json"
SPACES = SOURCE / "kernels/recorded"
# Part of bench-accept -> how much of it.
ACCEPT = {
    "duels": ["--runs", "100", "--rule", "nightshift"],
    "devices": ["--runs", "50"],
    "studies": ["--studies", "10"],
    "nodes": ["--studies", "10"],
    "alarms": ["--runs", "50"],
    "landslides": ["--runs", "50"],
    "front": ["--studies", "10"],
    "recheck": ["--studies", "10"],
    "verify": ["--studies", "20"],
    "nights": ["--studies", "10", "--proposals", "20"],
}


def printed(program, *arguments):
    done = subprocess.run([BIN / program, *arguments], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{program} {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def found(folder, searchers, spaces, seeds):
    """A line for each space and searcher: fractions of the optimum after 25, 50 and 100 trials."""
    report = folder / f"{searchers}.json"
    files = [str(SPACES / f"{name}.json.gz") for name in spaces]
    printed("bench-search", "--searchers", searchers, "--seeds", str(seeds), "--budget", "100",
            "--samples", "100", "--summary", "--json", str(report), *files)
    lines = []
    for group in json.loads(report.read_text())["groups"]:
        for its in group["searchers"] if group["kind"] == "space" else []:
            fractions = " ".join(f"{at['mean']['value']:.4f}" for at in its["fraction"])
            lines.append(f"{group['name']} {its['name']}: {fractions}, "
                         f"{its['failures']['value']:.2f} failed")
    return lines


class Figures(Case):
    maxDiff = None

    def setUp(self):
        super().setUp()
        missing = [name for name in ("bench-search", "bench-accept") if not (BIN / name).exists()]
        if missing:
            self.skipTest(f"not built: {' '.join(missing)}")

    def hold(self, name, lines):
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        if os.environ.get("NIGHTSHIFT_KEEP_FIGURES"):
            kept[name] = lines
            KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
            return
        moved = list(difflib.unified_diff(kept.get(name, []), lines, "kept", "now", n=0, lineterm=""))
        self.assertEqual(moved, [], f"{name} has moved; where that is meant, keep what there is now "
                         "(tests/e2e/figures_test.py):\n" + "\n".join(moved))

    def test_what_the_usual_searcher_finds(self):
        spaces = sorted(path.name.removesuffix(".json.gz") for path in SPACES.glob("*.json.gz"))
        self.hold("search, auto", found(self.folder, "auto", spaces, 10))

    def test_what_is_accepted(self):
        for part, bounds in ACCEPT.items():
            with self.subTest(part):
                text = printed("bench-accept", "--only", part, *bounds)
                self.hold(f"accept, {part}", [line.rstrip() for line in text.splitlines()])


if __name__ == "__main__":
    harness.main()
