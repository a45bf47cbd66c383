"""`nightshift report --html`: one well-formed page that needs nothing but itself."""

import html.parser
import os
import sys
import xml.etree.ElementTree

import harness
from harness import Case, IMPROVED, JOURNAL, NO_IMPROVEMENT, STUDY_FAILED, USAGE

VOID = {"meta", "br", "hr", "img", "link", "input"}

# NAME holds markup; 2 dies with markup in its last words, 3 prints nothing that can be read.
PROGRAM = """
import sys
a = int(sys.argv[1])
if a == 2:
    sys.exit("</pre><script>alert('a & b')</script>")
print('{"time": [%d.1, %d.2, %d.0]}' % (a, a, a) if a != 3 else "nothing")
"""

PROBLEM = """
name = "marks <script>alert(1)</script>"
[command]
argv = ["{python}", "program.py", "{{A}}", "{{NAME}}"]
runs = 1
[parameters]
A = [4, 1, 2, 3]
NAME = ["<script>one</script>", "two & \\"three\\""]
[search]
searcher = "exhaustive"
"""


class Page(html.parser.HTMLParser):
    """Every tag that is opened is closed, in order; the text is collected by element."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.mistakes, self.tags, self.words, self.attributes = [], [], [], [], []
        self.feed(text)
        self.close()
        self.mistakes += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.mistakes.append(f"</{tag}> at {self.getpos()} within {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


class Report(Case):
    def page(self, study="study", name="page.html"):
        done = self.run_nightshift("report", study, "--html", name, codes=(0,))
        self.assertEqual(done.stdout, f"The report is in {name}\n")
        text = (self.folder / name).read_text()
        page = Page(text)
        self.assertEqual(page.mistakes, [])
        self.assertNotIn("script", page.tags)
        names = {name for name, _ in page.attributes}
        self.assertFalse({n for n in names if n.startswith("on")} | names & {"src", "href"})
        self.assertNotIn("http", text)
        self.assertNotIn("nan", text.lower().replace("nanosecond", ""))
        return page

    def test_of_a_recorded_space(self):
        result = self.tune(harness.SOURCE / "kernels/recorded/rmsnorm_h200.json.gz",
                           "--budget", "60t", "--seed", "1", codes=(IMPROVED,))
        page = self.page()
        self.assertIn("Improvement accepted: time ", page.text)
        for part in ("Configurations", "Convergence", "Effect of each parameter", "Devices",
                     "Confirmations", "Failures", "Machine"):
            self.assertIn(part, page.text)
        for name, value in result["best"]["configuration"].items():
            self.assertIn(f"{name} ", page.text)
            self.assertIn(str(value), page.text)
        self.assertIn("after 60 configurations", page.text)
        self.assertGreaterEqual(page.tags.count("svg"), 3)
        self.assertIn("Best against the baseline", page.text)
        done = self.run_nightshift("report", "study", "--slide", "slide.svg", codes=(0,))
        self.assertEqual(done.stdout, "The slide is in slide.svg\n")
        slide = xml.etree.ElementTree.parse(self.folder / "slide.svg").getroot()
        self.assertEqual((slide.get("width"), slide.get("height")), ("1280", "720"))
        words = " ".join(slide.itertext())
        self.assertIn("98 % interval", words)
        self.assertIn(f"{result['best']['objectives']['time']['value']:.4g}"[:4], words)
        self.run_nightshift("report", "study", "--slide", "a", "--markdown", codes=(USAGE,))
        # One line in the matrix of devices and one in the list for each.
        duels = page.text.count(", duel ")
        self.assertEqual(duels, 2 * result["confirmations"])

    def test_of_a_program_that_fails_and_writes_markup(self):
        self.write("program.py", PROGRAM)
        self.write("problem.toml", PROBLEM.format(python=sys.executable))
        result = self.tune("problem.toml", "--set", "acceptance.self_test_pairs=0",
                           "--set", "acceptance.max_pairs=8", "--set",
                           "acceptance.hold_out_most=4", "--set", "acceptance.hold_out_least=4")
        self.assertEqual(sum(result["trials"]["failed"].values()), 4)
        page = self.page()
        self.assertIn("marks <script>alert(1)</script>", page.text)
        self.assertIn("<script>one</script>", page.text)
        self.assertIn("<script>alert('a & b')</script>", page.text)
        self.assertIn("crashed", page.text)

    def test_of_a_study_whose_baseline_fails(self):
        self.write("program.py", "import sys; sys.exit(3)")
        self.write("problem.toml", PROBLEM.format(python=sys.executable))
        self.run_nightshift("tune", "problem.toml", "--study", "study", codes=(STUDY_FAILED,))
        page = self.page()
        self.assertIn("No result", page.text)
        self.assertNotIn("svg", page.tags)

    def test_what_cannot_be_written_is_said(self):
        self.tune(self.recorded_space(), "--budget", "10t", codes=(IMPROVED, NO_IMPROVEMENT))
        (self.folder / "folder").mkdir()
        for name, reason in (("folder", "it is a folder"), ("no/page.html", "there is no folder no"),
                             ("", "empty")):
            refused = self.run_nightshift("report", "study", "--html", name, codes=(USAGE,))
            self.assertIn(reason, refused.stderr)
            self.assertEqual(refused.stdout, "")
        self.run_nightshift("report", "nowhere", "--html", "page.html", codes=(JOURNAL, USAGE))
        self.assertFalse((self.folder / "page.html").exists())
        before = set(os.listdir(self.folder))
        self.page()
        self.page()  # again over the first
        self.assertEqual(set(os.listdir(self.folder)) - before, {"page.html"})


if __name__ == "__main__":
    harness.main()
