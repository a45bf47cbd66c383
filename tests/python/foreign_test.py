"""`import`: problems, workloads and candidates of other benchmarks, as they are read, and as they are
told in their own forms. What they look like is written here anew."""

import concurrent.futures
import importlib.util
import json
import struct
import unittest

import harness
from harness import Building, Case

from nightshift import flashinfer_bench, flashinfer_door, kernelbench, kernelbot
from nightshift.errors import UserError

HAS_TORCH = importlib.util.find_spec("torch") is not None
MODEL = '''
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)

    def forward(self, x):
        return self.linear(x)

rows = 8

def get_inputs():
    return [torch.rand(rows, 4)]

def get_init_inputs():
    return [4]
'''
REFERENCE = '''
def generate_input(size, seed):
    return [size], "cuda"

def check_implementation(data, output):
    return True, ""
'''
TASK = {"lang": "py", "tests": [{"size": 3, "seed": 1}], "benchmarks": [{"size": 9, "seed": 2}],
        "files": [{"name": "submission.py", "source": "@SUBMISSION@"},
                  {"name": "reference.py", "source": "reference.py"},
                  {"name": "eval.py", "source": "../eval.py"}]}
DEFINITION = {
    "name": "scale_n4", "op_type": "scale", "axes": {"m": {"type": "var"}, "n": {"type": "const",
                                                                                "value": 4}},
    "inputs": {"x": {"shape": ["m", "n"], "dtype": "float32"},
               "rows": {"shape": ["m"], "dtype": "int32"},
               "factor": {"shape": None, "dtype": "float32"}},
    "outputs": {"y": {"shape": ["m", "n"], "dtype": "float32"}},
    "constraints": ["m >= 2", "m == rows[-1].item()"],
    "reference": "import torch\n\ndef run(x, rows, factor):\n    return x * factor\n"}
WORKLOADS = [{"definition": "scale_n4", "solution": None, "evaluation": None, "workload": {
    "uuid": f"{name}-0000", "axes": {"m": m}, "inputs": {
        "x": {"type": "random"}, "factor": {"type": "scalar", "value": 2.5},
        "rows": {"type": "safetensors", "path": "./blob/rows.safetensors", "tensor_key": "rows"}}}}
    for name, m in (("aaaa", 3), ("bbbb", 3))]
SOLUTION = {
    "name": "scale_twice", "definition": "scale_n4", "author": "nobody",
    "spec": {"language": "python", "target_hardware": ["cpu"], "entry_point": "pkg/main.py::kernel",
             "destination_passing_style": False},
    "sources": [{"path": "pkg/main.py", "content": "def kernel(x, rows, factor):\n    return x\n"}]}


def changed(whole, **members):
    return json.loads(json.dumps(dict(whole, **members)))


class Foreign(Case):
    def refused(self, does, words):
        with self.assertRaises(UserError) as caught:
            does()
        self.assertIn(words, str(caught.exception))

    def put(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


class KernelBench(Foreign):
    def test_a_file_becomes_a_problem(self):
        done = self.module("import", "kernelbench", self.put("7_Scale.py", MODEL), "--size", "rows=2",
                           "--reference", "own", "--device", "cpu")
        self.assertIn("7_Scale/problem.py is the problem", done.stderr)
        written = (self.folder / "7_Scale/problem.py").read_text()
        self.assertIn('reference="own", sizes={\'rows\': 2})', written)
        self.assertIn('name="7_Scale"', written)
        self.assertEqual((self.folder / "7_Scale/model.py").read_text(), MODEL)
        self.assertIn("has a problem.py already", self.module(
            "import", "kernelbench", "7_Scale.py", code=2).stderr)

    def test_a_candidate_becomes_a_request(self):
        source = "class ModelNew: pass\n"
        done = self.module("import", "kernelbench", self.put("new.py", source), "--candidate", "--id",
                           "3", "--stage", "check")
        self.assertEqual(json.loads(done.stdout),
                         {"id": "3", "stage": "check", "files": {"solution.py": source}})

    def test_what_is_refused(self):
        for text, words in (("x = (", "it is no Python"),
                            ("class Model: pass", "it has no get_inputs and no get_init_inputs"),
                            (MODEL + "\nAuto.from_pretrained('x')", "weights come from a network")):
            path = self.put("x.py", text)
            self.refused(lambda: kernelbench.read(path), words)
        self.refused(lambda: kernelbench.read(self.folder / "none.py"), "can't be read")

    @unittest.skipUnless(HAS_TORCH, "no torch")
    def test_what_is_right_is_computed_in_float64_where_it_can(self):
        done = self.module("import", "kernelbench", self.put("wide.py", MODEL))
        self.assertIn("computed by Model in float64", done.stderr)
        narrow = MODEL.replace("self.linear(x)", "self.linear(x).float()")
        done = self.module("import", "kernelbench", self.put("narrow.py", narrow))
        self.assertIn("in float64 it can't", done.stderr)
        self.assertIn('reference="own"', (self.folder / "narrow/problem.py").read_text())
        drawn = MODEL.replace("self.linear = ", "self.drop = nn.Dropout(0.5); self.linear = ")
        done = self.module("import", "kernelbench", self.put("drawn.py", drawn), code=2)
        self.assertIn("its answers are random", done.stderr)


TORCH = """
import torch

class ModelNew(torch.nn.Linear):
    def __init__(self, features):
        super().__init__(features, features)
"""
TRITON = """
import torch
import triton
import triton.language as tl

@triton.jit
def twice(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        twice[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
        return y
"""


@unittest.skipUnless(HAS_TORCH and importlib.util.find_spec("triton"), "no torch and Triton")
class Ahead(Building):
    def test_candidates_are_built_ahead_and_told_apart(self):
        (self.folder / "scale.py").write_text(MODEL)
        self.module("import", "kernelbench", "scale.py", "--output", "out")
        for number, text in enumerate((TORCH, TORCH + "\n", TRITON, TRITON + "\n"), start=1):
            folder = self.folder / "candidates" / str(number)
            folder.mkdir(parents=True)
            (folder / "solution.py").write_text(text)
        served = harness.Served(self, self.folder / "out/problem.py", role="build",
                                OPENBLAS_NUM_THREADS="1",
                                NIGHTSHIFT_CANDIDATES=str(self.folder / "candidates"))
        self.assertEqual(served.hello["roles"], ["build", "measure"])
        made = {}
        for number in range(5):
            answer, files = self.build(served, {"architecture": 90, "multiprocessors": 132},
                                       NIGHTSHIFT_CANDIDATE=number)
            self.assertTrue(answer.get("built") and "not_ahead" not in answer, answer)
            made[number] = files["launches.json"]
        self.assertEqual(len({made[0], made[1], made[2], made[3]}), 4)  # torch alone: nothing is known
        self.assertEqual(made[3], made[4])  # equal code of Triton
        for number, text, is_built in ((5, "raise RuntimeError('no CUDA here')", True),
                                       (6, "import nothing_is_called_so", False), (7, "x = (", False)):
            folder = self.folder / "candidates" / str(number)
            folder.mkdir()
            (folder / "solution.py").write_text(text)
            answer, _ = self.build(served, {"architecture": 90, "multiprocessors": 132},
                                   NIGHTSHIFT_CANDIDATE=number)
            self.assertEqual((answer.get("built"), answer.get("failure"), "not_ahead" in answer),
                             (True, None, True) if is_built else (None, "build_failed", False))


class Kernelbot(Foreign):
    def task(self, **members):
        """JSON is YAML too, and needs no library."""
        self.put("twice/task.yml", changed(TASK, **members))
        self.put("twice/reference.py", REFERENCE)
        return self.folder / "twice"

    def test_a_task_becomes_a_problem(self):
        self.put("twice/submission.py", "custom_kernel = None\n")
        done = self.module("import", "kernelbot", self.task(), "--device", "cpu", "--output", "out")
        self.assertIn('reference.py: "cuda" reads "cpu"', done.stderr)
        self.assertEqual(sorted(one.name for one in (self.folder / "out").iterdir()),
                         ["problem.py", "reference.py", "submission.py"])
        written = (self.folder / "out/problem.py").read_text()
        self.assertIn("TESTS = [\n    {'size': 3, 'seed': 1},\n]", written)
        self.assertIn("cases=[\n    {'size': 9, 'seed': 2},\n]", written)
        self.assertIn('return [size], "cpu"', (self.folder / "out/reference.py").read_text())
        self.assertEqual((self.folder / "out/submission.py").read_text(), "custom_kernel = None\n")

    def test_without_a_submission_the_reference_is_measured_against(self):
        done = self.module("import", "kernelbot", self.task(), "--output", "out")
        self.assertIn("against the reference", done.stderr)
        self.assertIn("import ref_kernel", (self.folder / "out/submission.py").read_text())

    def test_what_is_refused(self):
        for members, words in (
                ({"multi_gpu": True}, "several GPUs"), ({"lang": "cu"}, "submissions are cu"),
                ({"benchmarks": []}, "it has no benchmarks"), ({"tests": "x"}, "no list of tests")):
            folder = self.task(**members)
            self.refused(lambda: kernelbot.read(folder), words)
        self.refused(lambda: kernelbot.read(self.folder / "none"), "can't be read")
        self.put("twice/reference.py", "def generate_input(): pass")
        self.put("twice/task.yml", TASK)
        self.assertIn("it has no check_implementation", self.module(
            "import", "kernelbot", self.folder / "twice", code=2).stderr)

    def test_on_cores_only_whole_texts_change(self):
        text = kernelbot.on_cores("a('cuda', \"cuda:0\", 'cuda kernel')  # cuda\n")
        self.assertEqual(eval(text, {"a": lambda *given: given}), ("cpu", "cpu", "cuda kernel"))
        self.assertIn("# cuda", text)


class OfFlashInferBench(Foreign):
    def setUp(self):
        super().setUp()
        self.definition = self.put("scale_n4.json", DEFINITION)
        self.workloads = self.put("scale_n4.jsonl", "".join(json.dumps(one) + "\n"
                                                            for one in WORKLOADS))
        self.tensor(struct.pack("<3i", 1, 2, 3))

    def tensor(self, data, dtype="I32", shape=(3,), offsets=None):
        head = json.dumps({"rows": {"dtype": dtype, "shape": list(shape),
                                    "data_offsets": offsets or [0, len(data)]}}).encode()
        return self.put("blob/rows.safetensors", struct.pack("<Q", len(head)) + head + data)


class FlashInferBench(OfFlashInferBench):
    def test_a_definition_becomes_a_problem(self):
        self.module("import", "flashinfer-bench", self.definition, "--workloads", self.workloads,
                    "--device", "cpu", "--output", "out")
        self.assertEqual((self.folder / "out/tensors/aaaa-rows.bin").read_bytes(),
                         struct.pack("<3i", 1, 2, 3))
        [first, _] = json.loads((self.folder / "out/workloads.json").read_text())
        self.assertEqual((first["axes"], first["files"]),
                         ({"m": 3}, {"rows": "tensors/aaaa-rows.bin"}))
        self.assertIn('name = "scale_n4-bbbb"',
                      (self.folder / "out/workloads/bbbb/problem.toml").read_text())
        done = self.module("import", "flashinfer-bench", self.definition, "--workloads",
                           self.workloads, "--most", "1", "--output", "one")
        self.assertIn("1 of 2 workloads are taken", done.stderr)

    def test_sizes_make_a_workload_of_random_inputs(self):
        self.module("import", "flashinfer-bench", self.definition, "--size", "m=5", "--size",
                    "factor=0.5", "--output", "out")
        [only] = json.loads((self.folder / "out/workloads.json").read_text())
        self.assertEqual((only["axes"], only["inputs"]["factor"]),
                         ({"m": 5}, {"type": "scalar", "value": 0.5}))
        self.assertIn("--size m=NUMBER", self.module(
            "import", "flashinfer-bench", self.definition, "--size", "factor=1", "--output", "no",
            code=2).stderr)

    def test_what_is_refused_of_definitions(self):
        for members, words in (
                ({"op_type": "sampling"}, "draws samples"),
                ({"axes": {}}, "no definition of flashinfer-bench"),
                ({"reference": "def run("}, "is no Python"),
                ({"outputs": {"y": {"shape": None, "dtype": "float4_e2m1"}}}, "is not taken"),
                ({"name": "dsa_topk_indexer", "outputs": {
                    "y": {"shape": ["m"], "dtype": "int32"}}}, "in an order that is not said")):
            path = self.put("x.json", changed(DEFINITION, **members))
            self.refused(lambda: flashinfer_bench.read(path), words)

    def test_what_is_refused_of_workloads(self):
        for text, words in (("{", "it is no workload"), ("", "it has no workload"),
                            (json.dumps(changed(WORKLOADS[0], definition="other")), "of other"),
                            (json.dumps({"uuid": "a", "axes": {}, "inputs": {}}), "no axis m"),
                            (json.dumps({"uuid": "a", "axes": {"m": 1}, "inputs": {}}),
                             "breaks the constraint m >= 2")):
            path = self.put("x.jsonl", text)
            self.refused(lambda: flashinfer_bench.read_workloads(path, DEFINITION), words)

    def test_what_is_refused_of_tensors(self):
        def read():
            return flashinfer_bench.tensor_of(path, "rows", "int32", [3])
        for path, words in (
                (self.put("x", b"version https://git-lfs.github.com/spec/v1\n"), "pointer of Git LFS"),
                (self.put("x2", b"\x01"), "is no file of safetensors"),
                (self.put("x3", struct.pack("<Q", 1 << 60)), "its head has"),
                (self.folder / "none", "can't be read")):
            self.refused(read, words)
        path = self.tensor(bytes(12), dtype="I64")
        self.refused(read, "instead of [3] of int32")
        path = self.tensor(bytes(8), offsets=[0, 12])
        self.refused(read, "is cut off")

    def test_a_solution_becomes_a_request(self):
        files = flashinfer_bench.read_solution(SOLUTION)
        self.assertEqual(sorted(files), ["solution.py", "sources/pkg/main.py"])
        self.assertIn("'pkg/main.py::kernel', destination_passing=False", files["solution.py"])
        spec = SOLUTION["spec"]
        for members, words in (
                ({"spec": dict(spec, language="fortran")}, "written in fortran"),
                ({"spec": dict(spec, entry_point="main.py")}, "names no source and function"),
                ({"spec": dict(spec, entry_point="other.py::run")}, "names no source"),
                ({"sources": [{"path": "../pkg/main.py", "content": "x"},
                              SOLUTION["sources"][0]]}, "lies elsewhere"),
                ({"sources": 7}, "no solution of flashinfer-bench")):
            self.refused(lambda: flashinfer_bench.read_solution(changed(SOLUTION, **members)), words)


class Evaluations(OfFlashInferBench):
    """The server's own form, over scripted answers."""

    def tasks(self, answer):
        if not (self.folder / "out").exists():
            self.module("import", "flashinfer-bench", self.definition, "--workloads",
                        self.workloads, "--output", "out")
        self.asked = []

        def ask(request):
            self.asked.append(request)
            future = concurrent.futures.Future()
            if answer is not None:
                future.set_result(answer)
            return future
        return flashinfer_door.Tasks(ask, ["scale_n4-aaaa", "scale_n4-bbbb"],
                                     [self.folder / "out"])

    def evaluated(self, answer, **body):
        tasks = self.tasks(answer)
        task = tasks.post("/evaluate", {"solution": SOLUTION, **body})
        return tasks.get(f"/tasks/{task['task_id']}", {"timeout": "0"})

    def test_a_solution_that_passes(self):
        told = self.evaluated({"verdict": "right", "status": "measured", "answered": 1.0, "figures": {
            "time": {"value": 20.0, "opponent": 30.0, "unit": "us"}}, "conditions": {"torch": "2"}})
        self.assertEqual((told["status"], told["definition"], len(told["traces"])),
                         ("completed", "scale_n4", 2))
        self.assertRegex(told["solution"], "^scale_twice_[0-9a-f]{8}$")
        evaluation = told["traces"][0]["evaluation"]
        self.assertEqual((evaluation["status"], evaluation["environment"]["libs"]),
                         ("PASSED", {"torch": "2"}))
        self.assertEqual(evaluation["performance"], {
            "latency_ms": 0.02, "reference_latency_ms": 0.03, "speedup_factor": 1.5})
        self.assertEqual(told["traces"][1]["workload"], WORKLOADS[1]["workload"])
        self.assertEqual([one["problem"] for one in self.asked], ["scale_n4-aaaa", "scale_n4-bbbb"])
        self.assertEqual({one["stage"] for one in self.asked}, {"screen"})

    def test_the_kinds_of_refusals(self):
        for status, words, expected in (
                ("build_failed", "no module", "COMPILE_ERROR"), ("timed_out", "", "TIMEOUT"),
                ("crashed", "", "RUNTIME_ERROR"), ("launch_failed", "", "RUNTIME_ERROR"),
                ("wrong_result", "y has the shape [1] instead of [2]", "INCORRECT_SHAPE"),
                ("wrong_result", "y has the type int8 instead of int64", "INCORRECT_DTYPE"),
                ("wrong_result", "y[0] is 1 instead of 2", "INCORRECT_NUMERICAL")):
            evaluation = flashinfer_door.evaluation_of({
                "verdict": "refused", "status": status, "answered": 1.0,
                "failure": {"messages": words, "got": 1.0, "expected": 2.0}})
            self.assertEqual((evaluation["status"], evaluation["performance"]), (expected, None))
            if expected == "INCORRECT_NUMERICAL":
                self.assertEqual(evaluation["correctness"]["max_absolute_error"], 1.0)
            else:
                self.assertIsNone(evaluation["correctness"])

    def test_workloads_are_chosen_by_their_ids(self):
        told = self.evaluated({"verdict": "refused", "status": "crashed"},
                              workload_uuids=["bbbb-0000"])
        self.assertEqual([one["workload"]["uuid"] for one in told["traces"]], ["bbbb-0000"])
        self.assertEqual(self.evaluated({}, workload_uuids=["cccc"])["status"], "failed")

    def test_what_is_under_way_and_what_failed(self):
        self.assertEqual(self.evaluated(None)["status"], "running")
        told = self.evaluated({"error": "the service has ended"})
        self.assertEqual((told["status"], told["error"]), ("failed", "the service has ended"))

    def test_what_is_there(self):
        tasks = self.tasks(None)
        self.assertEqual(tasks.get("/definitions", {}), [{"name": "scale_n4", "description": None}])
        self.assertEqual(tasks.get("/definitions/scale_n4", {}), DEFINITION)
        self.assertEqual(len(tasks.get("/definitions/scale_n4/workloads", {})), 2)
        self.assertEqual(tasks.get("/workloads/aaaa-0000", {}), WORKLOADS[0]["workload"])
        self.assertIsNone(tasks.get("/elsewhere", {}))
        for path, query, code in (("/definitions/x", {}, 404), ("/workloads/x", {}, 404),
                                  ("/tasks/x", {}, 404), ("/tasks/x", {"timeout": "-1"}, 422)):
            with self.assertRaises(flashinfer_door.BadRequest) as caught:
                tasks.get(path, query)
            self.assertEqual(caught.exception.code, code)
        for body, code in (({}, 422), ({"solution": {}}, 422), ({"solution": SOLUTION, "workload_uuids":
                           "x"}, 422), ({"solution": changed(SOLUTION, definition="x")}, 400)):
            with self.assertRaises(flashinfer_door.BadRequest) as caught:
                tasks.post("/evaluate", body)
            self.assertEqual(caught.exception.code, code)


if __name__ == "__main__":
    harness.main()
