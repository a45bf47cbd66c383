"""What is printed: for each kernel a table in markdown."""

import statistics

from .timing_statistics import interval_of_median

OURS = "nightshift"
COPIES = ("copy by the driver", "copy by a kernel")
HEAD = ["shape", "type", "ours, µs", "rate", "% of copy", "best peer", "µs", "peer / ours",
        "the others, µs"]


def summary(row):
    """Figures of a row; None for what cannot be said."""
    times = row["microseconds"]
    medians = {name: statistics.median(values) for name, values in times.items()}
    others = {OURS, *COPIES, *row.get("less", [])}
    peers = {n: m for n, m in medians.items() if n not in others}
    copy = min((medians[n] for n in COPIES if n in medians), default=None)
    best = min(peers, key=peers.get, default=None)
    found = {"medians": medians, "copy": copy, "best_peer": best, "ours": None, "ratio": None,
             "share_of_copy": None,
             "intervals": {n: interval_of_median(v)[1:] for n, v in times.items()}}
    if OURS not in medians:
        return found
    found["ours"] = medians[OURS]
    if copy:
        found["share_of_copy"] = copy / medians[OURS]
    if best:  # of the same round: what the device does meanwhile hits both
        found["ratio"] = interval_of_median([p / o for p, o in zip(times[best], times[OURS])])
    return found


def rate(row, microseconds):
    if row["flops"]:
        return f"{row['flops'] / microseconds / 1e6:.1f} TFLOP/s"
    return f"{row['bytes'] / microseconds / 1e3:.0f} GB/s"


def line(row):
    s = summary(row)
    shape = " x ".join(str(v) for v in row["sizes"].values())
    cells = [shape + (" *" if row["from"] not in ("given", "measured.json") else ""),
             row["dtype"] or ""]

    def text(name):
        low, high = s["intervals"][name]
        mark = " (events)" if name in row["notes"] else ""
        return f"{s['medians'][name]:.2f} ({low:.2f} to {high:.2f}){mark}"
    if s["ours"] is None:
        cells += [row["left_out"].get(OURS, "failed"), "", ""]
    else:
        cells += [text(OURS), rate(row, s["ours"]),
                  f"{100 * s['share_of_copy']:.1f}" if s["share_of_copy"] else ""]
    if s["best_peer"]:
        cells += [s["best_peer"], text(s["best_peer"])]
        cells.append("{:.3f} ({:.3f} to {:.3f})".format(*s["ratio"]) if s["ratio"] else "")
    else:
        cells += ["none", "", ""]
    others = [f"{n} {m:.2f}" + (" (events)" if n in row["notes"] else "")
              + (" (does less)" if n in row.get("less", []) else "")
              for n, m in sorted(s["medians"].items(), key=lambda e: e[1])
              if n not in (OURS, s["best_peer"])]
    others += [f"{n} {why}" for n, why in row["left_out"].items() if n != OURS]
    return cells + ["; ".join(others)]


def tables(rows):
    """The markdown of all rows, a table for each kernel."""
    parts = []
    for problem in dict.fromkeys(r["problem"] for r in rows):
        of_problem = [r for r in rows if r["problem"] == problem]
        parts += [f"\n### {problem}: {' x '.join(of_problem[0]['sizes'])}\n",
                  "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
        parts += ["| " + " | ".join(c.replace("|", "/") for c in line(r)) + " |"
                  for r in of_problem]
        ratios = [s["ratio"][0] for s in map(summary, of_problem) if s["ratio"]]
        if ratios:
            parts.append(f"\nBest peer / ours, geometric mean of {len(ratios)}: "
                         f"{statistics.geometric_mean(ratios):.3f}; "
                         f"at least 1 in {sum(r >= 1 for r in ratios)}.")
    if any(r["from"] not in ("given", "measured.json") for r in rows):
        parts.append("\n\\* not tuned for this shape and type: the nearest shape's configuration, "
                     "or the baseline.")
    return "\n".join(parts)
