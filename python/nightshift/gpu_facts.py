"""What the GPU of this machine is, without starting CUDA in this process."""

import functools
import json
import os
import subprocess
import sys

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
               "max_threads_per_multi_processor": 39, "major": 75, "minor": 76,
               "shared_memory_per_multiprocessor": 81, "regs_per_multiprocessor": 82,
               "shared_memory_per_block_optin": 97}
# Of an H100, whose kernels are compiled where there is none.
_WITHOUT_GPU = {"count": 0, "name": "NVIDIA H100 80GB HBM3", "total_memory": 80 << 30,
                "max_threads_per_block": 1024, "shared_memory_per_block": 49152, "warp_size": 32,
                "multi_processor_count": 132, "is_integrated": 0, "L2_cache_size": 50 << 20,
                "max_threads_per_multi_processor": 2048, "major": 9, "minor": 0,
                "shared_memory_per_multiprocessor": 233472, "regs_per_multiprocessor": 65536,
                "shared_memory_per_block_optin": 232448}


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
