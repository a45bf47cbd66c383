"""No searcher becomes worse unnoticed, not by small steps either: bench-search replays shipped recordings
with every searcher of the catalogue, from fixed seeds and in simulated time, and data/search_history.json
has what each found in every version that changed it.

A searcher has to find exactly what its newest entry says, and no less than the best entry by more than that
entry's own spread over the seeds. A change that moves a searcher adds an entry, which the diff then shows:

    NIGHTSHIFT_BUILD_DIR=build/release python3 tests/e2e/search_history_test.py --write

That refuses an entry below the best one's spread, unless `--because REASON` says why it is accepted; what was
better before then counts no more.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import harness
from harness import BIN, SOURCE

HISTORY = SOURCE / "tests/e2e/data/search_history.json"
SPACES = ["bf16_gemm_h200", "bf16_gemm_wgmma_h200", "int4_gemv_h200", "softmax_2049_h200"]
SEEDS, EVALUATIONS, MARKS = 5, 60, (25, 60)


def rounded(estimate):
    return [round(estimate[name], 4) for name in ("value", "low", "high")]


def fractions(entry, checkpoints):
    means = dict(zip(checkpoints, (at["mean"] for at in entry["fraction"])))
    return {str(mark): rounded(means[mark]) for mark in MARKS}


def entries_of(report):
    """Searcher -> its entry: at each mark the fraction of the optimum over all spaces with its interval
    over the seeds, and the fraction on each space by itself."""
    entries = {}
    for group in report["groups"]:
        for searcher in group["searchers"]:
            entry = entries.setdefault(searcher["name"], {"all": None, "spaces": {}})
            found = fractions(searcher, report["checkpoints"])
            if group["kind"] == "all":
                entry["all"] = found
            elif group["kind"] == "space":
                failed = round(searcher["failures"]["value"], 2)
                entry["spaces"][group["name"]] = [found[str(mark)][0] for mark in MARKS] + [failed]
    return entries


def replayed():
    files = [str(SOURCE / "kernels/recorded" / f"{name}.json.gz") for name in SPACES]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        done = subprocess.run(
            [BIN / "bench-search", "--searchers", "all", "--seeds", str(SEEDS), "--budget",
             str(EVALUATIONS), "--samples", "200", "--threads", "1", "--summary", "--json", report,
             *files], capture_output=True, text=True, timeout=500)
        if done.returncode != 0:
            raise AssertionError(f"bench-search: {done.stdout}{done.stderr}")
        return entries_of(json.loads(report.read_text()))


def counting(entries):
    """The entries since the newest that was accepted though it is worse."""
    accepted = [place for place, entry in enumerate(entries) if "because" in entry]
    return entries[accepted[-1]:] if accepted else entries


def fallen(entries, now):
    """At which marks `now` is below the best entry's spread, in words."""
    words = []
    for mark, (value, _, _) in now["all"].items():
        best = max(counting(entries), key=lambda entry: entry["all"][mark][0], default=None)
        if best is not None and value < best["all"][mark][1]:
            kept, low, high = best["all"][mark]
            words.append(f"after {mark} evaluations {value} of the optimum; {best['since']} it was "
                         f"{kept} [{low}, {high}]")
    return words


def moved(entries, now):
    newest = entries[-1] if entries else {}
    return any(newest.get(part) != now[part] for part in ("all", "spaces"))


def faults(history, now):
    found = []
    for name in sorted(set(history) | set(now)):
        entries = history.get(name, [])
        if name not in now:
            found.append(f"{name} is no searcher any more; --write forgets it")
        elif fallen(entries, now[name]):
            found.append(f"{name} has become worse: " + "; ".join(fallen(entries, now[name])))
        elif moved(entries, now[name]):
            was = entries[-1]["all"] if entries else "nothing"
            found.append(f"{name} finds {now[name]['all']}, and the history's newest entry has {was}; "
                         "where that is meant, --write keeps it")
    return found


def renewed(history, now, today, because=None):
    """(the history with what moved, why it was not kept)."""
    result, refused = {}, []
    for name in sorted(now):
        entries = list(history.get(name, []))
        worse = fallen(entries, now[name])
        if worse and not because:
            refused.append(f"{name}: " + "; ".join(worse))
        elif moved(entries, now[name]):
            reason = {"because": because} if worse else {}
            entries.append({"since": today, **reason,
                            **{key: value for key, value in now[name].items() if key != "since"}})
        if entries:
            result[name] = entries
    return result, refused


def text_of(history):
    """JSON with a line for each entry, so that a diff shows entries."""
    parts = []
    for name, entries in history.items():
        lines = ",\n".join("  " + json.dumps(entry) for entry in entries)
        parts.append(f" {json.dumps(name)}: [\n{lines}]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write(because):
    history = json.loads(HISTORY.read_text()) if HISTORY.exists() else {}
    history, refused = renewed(history, replayed(), datetime.date.today().isoformat(), because)
    for line in refused:
        print(f"not kept, since it is worse: {line}; --because REASON accepts it", file=sys.stderr)
    HISTORY.write_text(text_of(history))
    return 1 if refused else 0


def entry(value, half=0.02, since="2026-01-01", **more):
    return {"since": since, "all": {"60": [value, value - half, value + half]},
            "spaces": {"a": [value, 0]}, **more}


class Rules(unittest.TestCase):
    def test_what_is_in_the_history_is_no_fault(self):
        self.assertEqual(faults({"x": [entry(0.8), entry(0.9)]}, {"x": entry(0.9)}), [])

    def test_whatever_moves_is_told(self):
        now = entry(0.9)
        now["spaces"]["a"] = [0.89, 0]
        self.assertIn("--write keeps it", faults({"x": [entry(0.9)]}, {"x": now})[0])
        self.assertIn("--write keeps it", faults({"x": [entry(0.9)]}, {"x": entry(0.91)})[0])
        self.assertIn("has nothing", faults({}, {"x": entry(0.9)})[0])
        self.assertIn("no searcher any more", faults({"x": [entry(0.9)]}, {})[0])

    def test_small_steps_down_are_held_to_the_best_of_all(self):
        history = {"x": [entry(0.9, since="2026-01-01"), entry(0.89), entry(0.88)]}
        told = faults(history, {"x": entry(0.87)})
        self.assertIn("x has become worse: after 60 evaluations 0.87 of the optimum; 2026-01-01 it "
                      "was 0.9 [0.88, 0.92]", told[0])
        kept, refused = renewed(history, {"x": entry(0.87)}, "2026-02-02")
        self.assertEqual(kept, history)
        self.assertEqual(len(refused), 1)

    def test_within_the_spread_an_entry_is_kept(self):
        kept, refused = renewed({"x": [entry(0.9)]}, {"x": entry(0.885)}, "2026-02-02")
        self.assertEqual((len(kept["x"]), refused), (2, []))
        self.assertEqual(kept["x"][1]["since"], "2026-02-02")
        self.assertEqual(faults(kept, {"x": entry(0.885)}), [])

    def test_a_reason_accepts_what_is_worse_and_is_the_new_measure(self):
        kept, refused = renewed({"x": [entry(0.9)]}, {"x": entry(0.7)}, "2026-02-02", "half the time")
        self.assertEqual((kept["x"][1]["because"], refused), ("half the time", []))
        self.assertEqual(faults(kept, {"x": entry(0.7)}), [])
        self.assertIn("has become worse", faults(kept, {"x": entry(0.6)})[0])

    def test_a_reason_is_kept_only_where_it_was_needed(self):
        kept, _ = renewed({"x": [entry(0.9)]}, {"x": entry(0.95)}, "2026-02-02", "half the time")
        self.assertNotIn("because", kept["x"][1])

    def test_what_has_not_moved_gets_no_entry_and_what_is_gone_goes(self):
        history = {"x": [entry(0.9)], "y": [entry(0.9)]}
        self.assertEqual(renewed(history, {"x": entry(0.9)}, "2026-02-02"), ({"x": history["x"]}, []))

    def test_the_file_has_a_line_for_each_entry(self):
        history = {"x": [entry(0.8), entry(0.9)], "y": [entry(0.7)]}
        self.assertEqual(json.loads(text_of(history)), history)
        self.assertEqual(text_of(history).count('"since"'), text_of(history).count("\n  {"))


class SearchHistory(harness.Case):
    def test_no_searcher_has_become_worse(self):
        if not (BIN / "bench-search").exists():
            self.skipTest("not built: bench-search")
        found = faults(json.loads(HISTORY.read_text()), replayed())
        self.assertEqual(found, [], "\n" + "\n".join(found) + f"\n({pathlib.Path(__file__).name})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--because")
    asked, rest = parser.parse_known_args()
    if asked.write:
        sys.exit(write(asked.because))
    sys.argv[1:] = rest
    harness.main()
