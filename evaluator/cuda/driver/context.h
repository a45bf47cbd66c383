#pragma once

#include <cstddef>
#include <string>

#include "evaluator/cuda/driver/driver_types.h"

namespace nightshift::evaluator::cuda {

// The primary context of this process's GPU and the one stream that everything here runs in. Made
// once and never released: the process's end does that, and nothing else cures a broken context.
class Context {
 public:
  // `uuid` is what CUDA_VISIBLE_DEVICES was set to. Throws CudaError, or std::runtime_error where
  // this process does not see exactly that GPU.
  explicit Context(const std::string& uuid);

  DeviceOrdinal device() const { return device_; }
  StreamHandle stream() const { return stream_; }
  int attribute(DeviceAttribute which) const;
  std::size_t l2_bytes() const;
  std::size_t free_bytes() const;
  // Whether so much can be allocated with a gigabyte left over for what kernels need themselves.
  bool has_room_for(std::size_t bytes) const;
  void synchronise() const;  // throws CudaError: what a kernel did is seen here

 private:
  DeviceOrdinal device_ = 0;
  StreamHandle stream_ = nullptr;
};

// "5a6c0b1e-5f3e-...", as it stands behind "GPU-" or, of an instance of a GPU in MIG mode, "MIG-".
std::string text_of(const Uuid& uuid);

}  // namespace nightshift::evaluator::cuda
