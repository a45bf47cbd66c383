"""Holds a whole GPU back, so that nothing of any stream begins on it until a span of time is over.

`torch.cuda._sleep` holds one stream: what a call starts on others is done meanwhile, outside of what
is timed. Here as many threads wait as the GPU has room for, so that no block of anybody else fits."""

import ctypes

from .kernels import Driver, KernelError

__all__ = ["HeldGpu", "KernelError"]

_MULTIPROCESSORS, _THREADS = 16, 39  # CUdevice_attribute: how many, and the most threads of one
_BLOCK = 512  # divides the threads of all that there are
_NAME = b"nightshift_hold"
# Each thread waits by itself; the driver compiles it for the GPU that there is.
_PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry nightshift_hold(.param .u64 span)
{
 .reg .pred %again;
 .reg .u64 %begin, %now, %since, %span;
 ld.param.u64 %span, [span];
 mov.u64 %begin, %globaltimer;
wait:
 mov.u64 %now, %globaltimer;
 sub.u64 %since, %now, %begin;
 setp.lt.u64 %again, %since, %span;
 @%again bra wait;
 ret;
}
\0"""


class HeldGpu:
    """The GPU whose context is current. Raises KernelError where its driver can't do it."""

    def __init__(self):
        self._driver = driver = Driver()
        device = driver.got(ctypes.c_int, "cuCtxGetDevice", doing="no GPU is in use")
        count, threads = (driver.got(ctypes.c_int, "cuDeviceGetAttribute", which, device)
                          for which in (_MULTIPROCESSORS, _THREADS))
        self._blocks = count * (threads // _BLOCK)
        module = driver.got(ctypes.c_void_p, "cuModuleLoadData", _PTX, doing="loading what holds the GPU")
        self._function = driver.got(ctypes.c_void_p, "cuModuleGetFunction", ctypes.c_void_p(module), _NAME)

    def hold(self, seconds, stream):
        """Has a stream, and after it everything else, wait. The GPU has to be idle. stream: the driver's
        handle as a number"""
        span = ctypes.c_uint64(int(seconds * 1e9))
        given = (ctypes.c_void_p * 1)(ctypes.addressof(span))
        self._driver.ask("cuLaunchKernel", ctypes.c_void_p(self._function), self._blocks, 1, 1, _BLOCK, 1, 1, 0,
                         ctypes.c_void_p(stream), given, None, doing="holding the GPU")
