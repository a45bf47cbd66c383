"""What the GPU of this machine is, without starting CUDA in this process; and the one that kernels
are built for. Whoever answers for a GPU takes the answers from here (import_gpu.py, pretended_gpu.py,
the compiler's driver in triton_build.py), so that a file is told the same everywhere."""

import functools
import json
import os
import subprocess
import sys
import types

# A process of its own asks the driver, since whoever asks has CUDA started. It makes no context.
_ASK = """
import ctypes, json
cuda, value = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
assert cuda.cuInit(0) == 0
assert cuda.cuDeviceGetCount(ctypes.byref(value)) == 0
facts = {"count": value.value}
for name, attribute in ATTRIBUTES.items():
    assert cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0) == 0
    facts[name] = value.value
name, size = ctypes.create_string_buffer(256), ctypes.c_size_t()
assert cuda.cuDeviceGetName(name, 256, 0) == 0
assert cuda.cuDeviceTotalMem_v2(ctypes.byref(size), 0) == 0
print(json.dumps({**facts, "name": name.value.decode(), "total_memory": size.value}))
"""
# As torch calls them: numbers of the driver's attributes.
_ATTRIBUTES = {"max_threads_per_block": 1, "shared_memory_per_block": 8, "warp_size": 10,
               "multi_processor_count": 16, "is_integrated": 18, "L2_cache_size": 38,
               "clock_rate": 13, "memory_clock_rate": 36, "memory_bus_width": 37,
               "max_threads_per_multi_processor": 39, "major": 75, "minor": 76,
               "shared_memory_per_multiprocessor": 81, "regs_per_multiprocessor": 82,
               "shared_memory_per_block_optin": 97}
# Of an H100, whose kernels are compiled where there is none.
_WITHOUT_GPU = {"count": 0, "name": "NVIDIA H100 80GB HBM3", "total_memory": 80 << 30,
                "max_threads_per_block": 1024, "shared_memory_per_block": 49152, "warp_size": 32,
                "clock_rate": 1980000, "memory_clock_rate": 2619000, "memory_bus_width": 5120,
                "multi_processor_count": 132, "is_integrated": 0, "L2_cache_size": 50 << 20,
                "max_threads_per_multi_processor": 2048, "major": 9, "minor": 0,
                "shared_memory_per_multiprocessor": 233472, "regs_per_multiprocessor": 65536,
                "shared_memory_per_block_optin": 232448}
# Bytes of shared memory that one block may have, by compute capability (CUDA programming guide).
SHARED = {80: 166912, 86: 101376, 87: 166912, 89: 101376, 90: 232448, 100: 232448, 103: 232448,
          120: 101376, 121: 101376}


@functools.lru_cache(maxsize=None)
def gpu_facts():
    """Of the first GPU, by torch's names of a device's properties; "count": how many there are.
    That builders see none is not meant for this."""
    environment = dict(os.environ)
    if not environment.get("CUDA_VISIBLE_DEVICES"):
        environment.pop("CUDA_VISIBLE_DEVICES", None)
    asked = subprocess.run([sys.executable, "-S", "-c", f"ATTRIBUTES = {_ATTRIBUTES}\n{_ASK}"],
                           capture_output=True, text=True, env=environment, check=False)
    return json.loads(asked.stdout) if asked.returncode == 0 else dict(_WITHOUT_GPU)


def target():
    """That GPU as requests of the protocol name what is to be built for."""
    facts = gpu_facts()
    return {"architecture": 10 * facts["major"] + facts["minor"],
            "multiprocessors": facts["multi_processor_count"]}


class Facts:
    """Of the GPU that `target` names, as torch calls them: this machine's where it is of that kind, else
    an H100's with the target's own. What the target itself says costs no question."""

    def __init__(self, target):
        self.architecture = int(target.get("architecture", 90))
        self.multiprocessors = int(target.get("multiprocessors", 132))
        self.shared = SHARED.get(self.architecture, 101376)

    @property
    def all(self):
        found, (major, minor) = gpu_facts(), divmod(self.architecture, 10)
        if (found["major"], found["minor"]) != (major, minor) or not found["count"]:
            name = _WITHOUT_GPU["name"] if self.architecture == 90 else f"target {major}.{minor}"
            found = dict(_WITHOUT_GPU, name=name, major=major, minor=minor,
                         shared_memory_per_block_optin=self.shared)
        return dict(found, multi_processor_count=self.multiprocessors)

    def properties(self):
        """As torch.cuda.get_device_properties() returns them."""
        return types.SimpleNamespace(**self.all, is_multi_gpu_board=0)
