// Launches the kernels of a file that `nightshift export --format cubin` or `nightshift table
// --format cubin` wrote, by the driver of CUDA 12.0 or later: link with -lcuda.
//
//   nightshift::Kernels rmsnorm("rmsnorm.kernels");             // for the current context
//   rmsnorm.launch({{"M", m}, {"N", n}}, {x, weight, y}, stream);
#pragma once

#include <cuda.h>

#include <tuple>

#include "kernel_call.h"
#include "kernel_file_reader.h"

namespace nightshift {

class Kernels {
 public:
  // Of the context that is current, which outlives this. Throws KernelError where the file is wrong
  // or of another architecture.
  explicit Kernels(const std::string& path)
      : file_ptr_(KernelFileReader::read(path)), file_(*file_ptr_) {
    CUdevice device = 0;
    int major = 0, minor = 0;
    ask(cuCtxGetDevice(&device), "there is no current context");
    ask(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
        "major");
    ask(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
        "minor");
    ask(cuDeviceGetAttribute(&processors_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
        "SMs");
    const bool later = file_.exact ? minor == file_.minor : minor >= file_.minor;
    if (major != file_.major || !later) {
      throw KernelError(path + " is for compute capability " + std::to_string(file_.major) + "." +
                        std::to_string(file_.minor) + ", and this device has " +
                        std::to_string(major) + "." + std::to_string(minor));
    }
  }
  ~Kernels() {
    for (const auto& [key, memory] : work_) cuMemFree(memory);
    for (const auto& [code, module] : modules_) cuModuleUnload(module);
  }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  const KernelFile& file() const { return file_; }

  // `numbers`: the sizes, and scalars that are to be others than the file's. `vectors`: those of
  // the problem in their order, without work vectors, which this makes in the first call of a
  // stream with these sizes: that call is not to be captured in a graph. Throws KernelError.
  void launch(KernelNumbers numbers, const std::vector<CUdeviceptr>& vectors, CUstream stream) {
    for (const auto& [name, number] : numbers) check_name(name);
    numbers["SM_COUNT"] = processors_;
    const std::size_t chosen = file_.choose(numbers);
    const KernelVariant& variant = file_.variants[chosen];
    KernelCall call(file_, variant, numbers);
    std::size_t next = 0;
    for (std::size_t i = 0; i < file_.arguments.size(); ++i) {
      if (file_.arguments[i].scalar) continue;
      const bool is_work = file_.arguments[i].access == "work";
      if (!is_work && next == vectors.size()) throw KernelError("too few vectors are given");
      call.set(i, is_work ? work(i, call.bytes(i), stream) : vectors[next++]);
    }
    if (next != vectors.size()) throw KernelError("too many vectors are given");
    for (const KernelLaunch& launch : variant.launches) {
      if (call.number(launch.when) != 0) start(call, launch, module(variant.code), stream);
    }
  }

 private:
  static void ask(CUresult result, const std::string& what) {
    const char* words = nullptr;
    if (result == CUDA_SUCCESS) return;
    if (cuGetErrorString(result, &words) != CUDA_SUCCESS) words = "an unknown error";
    throw KernelError(what + ": " + words);
  }

  void check_name(const std::string& name) const {
    const auto is_scalar = [&](const KernelArgument& a) { return a.scalar && a.name == name; };
    if (std::find(file_.sizes.begin(), file_.sizes.end(), name) == file_.sizes.end() &&
        std::none_of(file_.arguments.begin(), file_.arguments.end(), is_scalar)) {
      throw KernelError(name + " is no size and no scalar of " + file_.problem);
    }
  }

  CUmodule module(std::size_t code) {
    const auto known = modules_.find(code);
    if (known != modules_.end()) return known->second;
    const std::string bytes(file_.codes[code]);
    CUmodule loaded = nullptr;
    ask(cuModuleLoadData(&loaded, bytes.data()), "loading the machine code");
    return modules_[code] = loaded;
  }

  CUdeviceptr work(std::size_t argument, std::size_t bytes, CUstream stream) {
    const auto [known, added] = work_.try_emplace({stream, argument, bytes});
    if (!added) return known->second;
    ask(cuMemAlloc(&known->second, std::max<std::size_t>(bytes, 1)), "memory for a work vector");
    const std::string first = filled(file_.arguments[argument], bytes);
    if (!first.empty()) ask(cuMemcpyHtoD(known->second, first.data(), bytes), "filling it");
    return known->second;
  }

  void start(KernelCall& call, const KernelLaunch& launch, CUmodule module, CUstream stream) {
    CUfunction function = nullptr;
    ask(cuModuleGetFunction(&function, module, launch.symbol.c_str()), launch.symbol);
    CUlaunchAttribute attributes[2] = {};
    CUlaunchConfig config = call.config(launch, attributes, stream);
    const auto set = [&](CUfunction_attribute which, int value) {
      ask(cuFuncSetAttribute(function, which, value), launch.symbol);
    };
    if (config.sharedMemBytes > 0) {
      set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(config.sharedMemBytes));
    }
    if (call.blocks(launch.cluster) > 8)
      set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    std::vector<void*> given = call.given(launch);
    ask(cuLaunchKernelEx(&config, function, given.data(), nullptr), "launching " + launch.symbol);
  }

  std::unique_ptr<KernelFile> file_ptr_;
  const KernelFile& file_;
  int processors_ = 0;
  std::map<std::size_t, CUmodule> modules_;
  std::map<std::tuple<CUstream, std::size_t, std::size_t>, CUdeviceptr> work_;
};

}  // namespace nightshift
