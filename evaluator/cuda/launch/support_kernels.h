#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluator/answers/draw_ends.h"
#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/device_buffer.h"
#include "evaluator/cuda/launch/kernel_module.h"
#include "search/argument.h"

namespace nightshift::evaluator::cuda {

// A vector on the device.
struct DeviceVector {
  DevicePointer data = 0;
  search::ElementType type = search::ElementType::kFloat32;
  std::uint64_t elements = 0;
};

// The kernels of support.cu. Everything runs in the context's stream; what returns a number waits
// for it. All throw CudaError.
class SupportKernels {
 public:
  // Compiles for `architecture`, or takes what an earlier process left in `folder`. Throws
  // std::runtime_error without a compiler.
  SupportKernels(const Context& context, int architecture, const std::string& folder);
  ~SupportKernels();
  SupportKernels(const SupportKernels&) = delete;
  SupportKernels& operator=(const SupportKernels&) = delete;

  // As search::Argument says; not for kComputed.
  void fill(const DeviceVector& to, search::Argument::Fill fill, double low, double high,
            std::uint64_t seed, std::optional<DrawnEnd> end = std::nullopt);
  // Each number as the nearest one of `to`, which has as many elements.
  void convert(const DeviceVector& from, const DeviceVector& to);

  struct Norm {
    double squares = 0;         // sum over the finite elements that are smaller than the bound
    std::uint64_t numbers = 0;  // how many are not NaN, of any size
    double largest = 0;         // of those that squares are of
    std::uint64_t count = 0;    // of these, without zeros
    std::uint64_t fine = 0;     // of `count` those that are no multiples of the grid
  };
  Norm norm(const DeviceVector& of, double bound = std::numeric_limits<double>::infinity(),
            double grid = 0);

  struct Comparison {
    double squares = 0;          // sum of squared errors that are finite
    double worst = 0;            // largest error over what is allowed of that element
    std::uint64_t worst_at = 0;  // its index
    std::uint64_t wrong = 0;     // how many are beyond what is allowed
    std::uint64_t sum = 0;       // the checksum of `got`
  };
  // Allowed of an element: element_gate * (|expected| + rms). Fast for 16 bits against float32, and
  // for float32 against float64. All vectors begin at a multiple of 16 bytes.
  Comparison compare(const DeviceVector& got, const DeviceVector& expected, double element_gate,
                     double rms);
  // Of the elements whose size, as expected, is in [least, below).
  struct SmallElements {
    double least = 0, below = 0;
    double least_lost = 0, most_lost = 0;  // error over element, towards zero, of one that is lost
    int bits = 0;                          // significant ones of a lost element, at least
    double own = 0, beyond = 0;  // `beyond` counts errors beside own * element from so much on
  };
  struct SmallCounts {
    std::uint64_t elements = 0, lost = 0, beyond = 0;
    double largest = 0;  // size of the largest that is lost
    std::uint64_t largest_at = 0;
    double squares = 0;  // sum of squared errors that are finite
  };
  SmallCounts count_small(const DeviceVector& got, const DeviceVector& expected,
                          const SmallElements& which);
  // The first element of `got` each of whose bytes is `left`, where NaN is expected each of whose bytes
  // is not `nothing`.
  std::optional<std::uint64_t> first_left(const DeviceVector& got, const DeviceVector& expected,
                                          unsigned char left, unsigned char nothing);
  std::uint64_t checksum(DevicePointer data, std::uint64_t bytes);
  // How many bytes of these areas, of `bytes` each, are not `pattern`.
  std::uint64_t differences(const std::vector<DevicePointer>& areas, std::uint64_t bytes,
                            unsigned char pattern);
  double read(const DeviceVector& from, std::uint64_t element);
  // An element as it is in memory; bytes behind it are 0.
  std::array<std::byte, 8> bytes_at(const DeviceVector& from, std::uint64_t element);

  // Elements that stand for a vector: all of it, or kMostPicked. Where some are off by `least` of
  // what is expected of them or more, the one with the largest error in each stride is `asked`.
  static constexpr std::uint32_t kMostPicked = 1U << 16;
  struct Picked {
    std::uint64_t at = 0, asked = 0;
  };
  struct PickedElements {
    std::vector<Picked> elements;
    DeviceBuffer on_device;  // the same
  };
  PickedElements pick(const DeviceVector& got, const DeviceVector& expected, double least);
  std::vector<double> read(const DeviceVector& from, const PickedElements& picked);

 private:
  template <class... Arguments>
  void run_blocks(const char* kernel, std::uint32_t blocks, Arguments... arguments);
  template <class... Arguments>
  std::uint32_t run(const char* kernel, std::uint64_t elements, Arguments... arguments);
  template <class Share>
  std::span<const Share> shares(std::uint32_t threads);

  const Context& context_;
  std::unique_ptr<KernelModule> module_;
  DeviceBuffer shares_;  // one a thread
  DeviceBuffer folded_;
  void* host_shares_ = nullptr;  // pinned: copies from the device are five times as fast
};

}  // namespace nightshift::evaluator::cuda
