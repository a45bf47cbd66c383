#include "evaluator/cuda/driver/driver.h"

#include <stdexcept>
#include <string>

#include "evaluator/cuda/driver/open_library.h"

namespace nightshift::evaluator::cuda {
namespace {

// One line a function, and no list of names: a name that is wrong does not compile.
Driver functions_of(void* handle) {
  Driver d{};
#define NIGHTSHIFT_LOAD(name) load(d.name, handle, #name, "the CUDA driver")
  NIGHTSHIFT_LOAD(cuInit);
  NIGHTSHIFT_LOAD(cuDriverGetVersion);
  NIGHTSHIFT_LOAD(cuGetErrorName);
  NIGHTSHIFT_LOAD(cuGetErrorString);
  NIGHTSHIFT_LOAD(cuDeviceGetCount);
  NIGHTSHIFT_LOAD(cuDeviceGet);
  NIGHTSHIFT_LOAD(cuDeviceGetName);
  NIGHTSHIFT_LOAD(cuDeviceGetUuid_v2);
  NIGHTSHIFT_LOAD(cuDeviceGetAttribute);
  NIGHTSHIFT_LOAD(cuDeviceTotalMem_v2);
  NIGHTSHIFT_LOAD(cuDevicePrimaryCtxRetain);
  NIGHTSHIFT_LOAD(cuCtxSetCurrent);
  NIGHTSHIFT_LOAD(cuCtxSynchronize);
  NIGHTSHIFT_LOAD(cuModuleLoadData);
  NIGHTSHIFT_LOAD(cuModuleUnload);
  NIGHTSHIFT_LOAD(cuModuleGetFunction);
  NIGHTSHIFT_LOAD(cuModuleGetGlobal_v2);
  NIGHTSHIFT_LOAD(cuFuncGetAttribute);
  NIGHTSHIFT_LOAD(cuFuncSetAttribute);
  NIGHTSHIFT_LOAD(cuMemGetInfo_v2);
  NIGHTSHIFT_LOAD(cuMemAlloc_v2);
  NIGHTSHIFT_LOAD(cuMemFree_v2);
  NIGHTSHIFT_LOAD(cuMemHostAlloc);
  NIGHTSHIFT_LOAD(cuMemFreeHost);
  NIGHTSHIFT_LOAD(cuMemHostGetDevicePointer_v2);
  NIGHTSHIFT_LOAD(cuMemcpyHtoD_v2);
  NIGHTSHIFT_LOAD(cuMemcpyDtoH_v2);
  NIGHTSHIFT_LOAD(cuMemcpyDtoDAsync_v2);
  NIGHTSHIFT_LOAD(cuMemsetD8Async);
  NIGHTSHIFT_LOAD(cuStreamCreate);
  NIGHTSHIFT_LOAD(cuStreamSynchronize);
  NIGHTSHIFT_LOAD(cuStreamWaitValue32_v2);
  NIGHTSHIFT_LOAD(cuStreamBeginCapture_v2);
  NIGHTSHIFT_LOAD(cuStreamEndCapture);
  NIGHTSHIFT_LOAD(cuGraphInstantiateWithFlags);
  NIGHTSHIFT_LOAD(cuGraphDestroy);
  NIGHTSHIFT_LOAD(cuGraphExecDestroy);
  NIGHTSHIFT_LOAD(cuGraphUpload);
  NIGHTSHIFT_LOAD(cuGraphLaunch);
  NIGHTSHIFT_LOAD(cuEventCreate);
  NIGHTSHIFT_LOAD(cuEventDestroy_v2);
  NIGHTSHIFT_LOAD(cuEventRecord);
  NIGHTSHIFT_LOAD(cuEventSynchronize);
  NIGHTSHIFT_LOAD(cuEventElapsedTime);
  NIGHTSHIFT_LOAD(cuLaunchKernelEx);
  NIGHTSHIFT_LOAD(cuMemGetAllocationGranularity);
  NIGHTSHIFT_LOAD(cuMemAddressReserve);
  NIGHTSHIFT_LOAD(cuMemAddressFree);
  NIGHTSHIFT_LOAD(cuMemCreate);
  NIGHTSHIFT_LOAD(cuMemRelease);
  NIGHTSHIFT_LOAD(cuMemMap);
  NIGHTSHIFT_LOAD(cuMemUnmap);
  NIGHTSHIFT_LOAD(cuMemSetAccess);
#undef NIGHTSHIFT_LOAD
  find(handle, "cuCtxResetPersistingL2Cache", d.cuCtxResetPersistingL2Cache);
  find(handle, "cuProfilerStart", d.cuProfilerStart);
  find(handle, "cuProfilerStop", d.cuProfilerStop);
  find(handle, "cuTensorMapEncodeTiled", d.cuTensorMapEncodeTiled);
  return d;
}

Driver open_driver() {
  const std::string given = environment("NIGHTSHIFT_CUDA_DRIVER");
  std::string why;
  void* handle = open_library({given.empty() ? "libcuda.so.1" : given}, why);
  if (handle == nullptr) {
    throw std::runtime_error("the CUDA driver cannot be opened (" + why +
                             "): is there an NVIDIA GPU, and its driver installed?");
  }
  return functions_of(handle);
}

}  // namespace

const Driver& driver() {
  static const Driver opened = open_driver();
  return opened;
}

}  // namespace nightshift::evaluator::cuda
