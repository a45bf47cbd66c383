// One call of a kernel of a file: sizes, scalars and tensor maps worked out. A part of kernels.h.
#pragma once

#include <cuda.h>

#include <deque>

#include "kernel_values.h"

namespace nightshift {

class KernelCall {
 public:
  // These outlive it. `numbers` has sizes and SM_COUNT, and scalars that are given.
  KernelCall(const KernelFile& file, const KernelVariant& variant, const KernelNumbers& numbers)
      : file_(file), variant_(variant), numbers_(numbers), values_(file.arguments.size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const KernelArgument& argument = file.arguments[i];
      const auto given = numbers.find(argument.name);
      const bool is_given = argument.scalar && given != numbers.end() && !is_size(argument.name);
      const double extent = is_given ? given->second : number(variant.extents[i]);
      elements_.push_back(argument.scalar ? 0 : extent);
      if (argument.scalar) values_[i] = scalar_of(argument, extent);
    }
  }
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;

  double number(const std::string& program) const { return SizeProgram::run(program, numbers_); }
  std::size_t bytes(std::size_t argument) const {
    const KernelArgument& a = file_.arguments[argument];
    return whole_of(elements_[argument], 0, 1e13, a.name) * bytes_of(a.type);
  }
  std::uint64_t blocks(const std::array<std::string, 3>& extent) const {
    return std::uint64_t{count(extent[0], 1, 16)} * count(extent[1], 1, 16) *
           count(extent[2], 1, 16);
  }

  void set(std::size_t argument, CUdeviceptr address) {
    std::memcpy(values_[argument].data(), &address, sizeof address);
  }

  // `attributes` has room for two.
  CUlaunchConfig config(const KernelLaunch& launch, CUlaunchAttribute* attributes,
                        CUstream stream) {
    CUlaunchConfig c = {};
    c.gridDimX = count(launch.grid[0], 1, 2147483647);
    c.gridDimY = count(launch.grid[1], 1, 65535);
    c.gridDimZ = count(launch.grid[2], 1, 65535);
    c.blockDimX = count(launch.block[0], 1, 1024);
    c.blockDimY = count(launch.block[1], 1, 1024);
    c.blockDimZ = count(launch.block[2], 1, 64);
    c.sharedMemBytes = count(launch.shared, 0, 1 << 20);
    c.hStream = stream;
    c.attrs = attributes;
    if (blocks(launch.cluster) > 1) {
      CUlaunchAttribute& cluster = attributes[c.numAttrs++];
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim.x = count(launch.cluster[0], 1, 16);
      cluster.value.clusterDim.y = count(launch.cluster[1], 1, 16);
      cluster.value.clusterDim.z = count(launch.cluster[2], 1, 16);
    }
    // What is before the first launch is somebody else's, and has to have ended.
    if (launched_++ > 0 && number(launch.programmatic) != 0) {
      attributes[c.numAttrs].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      attributes[c.numAttrs++].value.programmaticStreamSerializationAllowed = 1;
    }
    return c;
  }

  // Pointers to what a launch takes, as long as this lives.
  std::vector<void*> given(const KernelLaunch& launch) {
    std::vector<void*> pointers;
    for (const std::string& word : launch.takes) {
      const std::uint64_t place = std::stoull(word.substr(1), nullptr, word[0] == 'x' ? 16 : 10);
      if (word[0] == 'a') {
        pointers.push_back(values_[place].data());
      } else if (word[0] == 'm') {
        pointers.push_back(&encoded(variant_.maps[place]));
      } else {
        pointers.push_back(&literals_.emplace_back(place));
      }
    }
    return pointers;
  }

 private:
  bool is_size(const std::string& name) const {
    return std::find(file_.sizes.begin(), file_.sizes.end(), name) != file_.sizes.end();
  }
  unsigned count(const std::string& program, double least, double most) const {
    return static_cast<unsigned>(whole_of(number(program), least, most, file_.problem));
  }

  // Bytes of swizzles and promotions are 32 or 64 times a power of two, and 0: counted from 1.
  static int step_of(std::uint64_t bytes, std::uint64_t first) {
    int step = 0;
    for (; bytes >= first; bytes /= 2) ++step;
    return step;
  }

  CUtensorMap& encoded(const KernelMap& map) {
    std::array<cuuint64_t, 5> extent{}, pitch{};
    std::array<cuuint32_t, 5> box{}, every{1, 1, 1, 1, 1};
    for (std::size_t d = 0; d < map.extent.size(); ++d) {
      extent[d] = whole_of(number(map.extent[d]), 1, 4294967296.0, file_.problem);
      box[d] = count(map.box[d], 1, 256);
      if (d > 0) pitch[d - 1] = whole_of(number(map.pitch[d - 1]), 16, 0x1p40, file_.problem);
    }
    CUdeviceptr address = 0;
    std::memcpy(&address, values_[map.argument].data(), sizeof address);
    const auto swizzle = step_of(count(map.swizzle, 0, 128), 32);
    const auto promotion = step_of(count(map.promotion, 0, 256), 64);
    const CUresult result = cuTensorMapEncodeTiled(
        &maps_.emplace_back(), static_cast<CUtensorMapDataType>(map.type),
        static_cast<cuuint32_t>(map.extent.size()), reinterpret_cast<void*>(address), extent.data(),
        pitch.data(), box.data(), every.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
        static_cast<CUtensorMapSwizzle>(swizzle), static_cast<CUtensorMapL2promotion>(promotion),
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_SUCCESS) return maps_.back();
    throw KernelError(file_.arguments[map.argument].name + ": the driver refuses its tensor map");
  }

  const KernelFile& file_;
  const KernelVariant& variant_;
  const KernelNumbers& numbers_;
  std::vector<ScalarBytes> values_;  // of scalars, and addresses
  std::vector<double> elements_;
  std::deque<CUtensorMap> maps_;
  std::deque<std::uint64_t> literals_;
  int launched_ = 0;
};

}  // namespace nightshift
