#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/driver/nvrtc.h"
#include "tests/fakes/gpu/fake_gpu.h"

namespace nightshift::evaluator::cuda {

struct CompiledProgram {
  std::string cubin, log;
  std::vector<std::string> names;  // of the functions asked for, as the cubin calls them
};
inline CompiledProgram compiled(const std::string& source,
                                const std::vector<std::string>& functions,
                                std::vector<std::string> options = {}) {
  NvrtcProgram program;
  program.text = source;
  program.file = "program.cu";
  program.options = std::move(options);
  program.options.emplace_back("--gpu-architecture=sm_90");
  program.options.emplace_back("--std=c++20");
  for (const std::string& function : functions) {
    if (function.find_first_of("<:") != std::string::npos) program.expressions.push_back(function);
  }
  CompiledKernels kernels = compile_with_nvrtc(program);
  CompiledProgram result{std::move(kernels.cubin), std::move(kernels.log), {}};
  for (const std::string& function : functions) {
    const auto named = kernels.names.find(function);
    result.names.push_back(named == kernels.names.end() ? function : named->second);
  }
  return result;
}

// A device with one buffer of floats, and the kernels of one program.
class Bench {
 public:
  Bench(const std::string& source, const std::vector<std::string>& functions)
      : context_(fake_gpu_uuid(0)) {
    const CompiledProgram kernels = compiled(source, functions);
    names_ = kernels.names;
    check(driver().cuModuleLoadData(&module_, kernels.cubin.data()), "load");
    check(driver().cuMemAlloc_v2(&memory_, kFloats * sizeof(float)), "allocate");
    const std::vector<float> ones(kFloats, 1);
    check(driver().cuMemcpyHtoD_v2(memory_, ones.data(), kFloats * sizeof(float)), "copy");
  }
  ~Bench() {
    driver().cuMemFree_v2(memory_);
    driver().cuModuleUnload(module_);
  }

  FunctionHandle function(std::size_t which = 0) const {
    FunctionHandle function = nullptr;
    check(driver().cuModuleGetFunction(&function, module_, names_[which].c_str()), "find");
    return function;
  }
  // With the buffer and `value` as arguments.
  Result launch(float value, unsigned blocks = 1, unsigned threads = kFloats,
                std::size_t which = 0) {
    LaunchConfig config;
    config.grid[0] = blocks;
    config.block[0] = threads;
    return launch(config, value, which);
  }
  // Of clusters of so many blocks, each with so much dynamic shared memory.
  Result launch_clusters(unsigned blocks, unsigned threads, unsigned cluster,
                         unsigned shared_bytes) {
    LaunchAttribute attribute;
    attribute.id = LaunchAttribute::kClusterDimension;
    attribute.value[0] = cluster;
    attribute.value[1] = attribute.value[2] = 1;
    return launch(attribute, blocks, threads, shared_bytes);
  }
  Result launch_programmatic(unsigned blocks) {
    LaunchAttribute attribute;
    attribute.id = LaunchAttribute::kProgrammaticSerialisation;
    attribute.value[0] = 1;
    return launch(attribute, blocks, 32, 0);
  }
  std::vector<float> floats() const {
    std::vector<float> values(kFloats);
    check(driver().cuMemcpyDtoH_v2(values.data(), memory_, kFloats * sizeof(float)), "copy");
    return values;
  }
  // Microseconds of device time of `work`.
  template <class Work>
  float time(Work&& work) {
    EventHandle start = nullptr, end = nullptr;
    check(driver().cuEventCreate(&start, kEventDefault), "event");
    check(driver().cuEventCreate(&end, kEventDefault), "event");
    check(driver().cuEventRecord(start, stream()), "record");
    work();
    check(driver().cuEventRecord(end, stream()), "record");
    float milliseconds = 0;
    check(driver().cuEventElapsedTime(&milliseconds, start, end), "elapsed");
    driver().cuEventDestroy_v2(start);
    driver().cuEventDestroy_v2(end);
    return milliseconds * 1000;
  }
  StreamHandle stream() const { return context_.stream(); }
  DevicePointer memory() const { return memory_; }

  static constexpr unsigned kFloats = 64;

 private:
  Result launch(LaunchAttribute& attribute, unsigned blocks, unsigned threads,
                unsigned shared_bytes) {
    LaunchConfig config;
    config.grid[0] = blocks;
    config.block[0] = threads;
    config.shared_bytes = shared_bytes;
    config.attributes = &attribute;
    config.attribute_count = 1;
    return launch(config, 0, 0);
  }
  Result launch(LaunchConfig& config, float value, std::size_t which) {
    config.stream = context_.stream();
    void* arguments[] = {&memory_, &value};
    return driver().cuLaunchKernelEx(&config, function(which), arguments, nullptr);
  }

  Context context_;
  std::vector<std::string> names_;
  ModuleHandle module_ = nullptr;
  DevicePointer memory_ = 0;
};

}  // namespace nightshift::evaluator::cuda
