#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "evaluator/cuda/launch/made_launch.h"

// What a served compiler wrote: every launch that comes of it is within bounds, or there is an
// error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift;
  static const search::CudaBackend kCuda = [] {
    search::CudaBackend cuda;
    for (const char* name : {"x", "y"}) cuda.arguments.emplace_back().name = name;
    for (const char* kernel : {"k", "l<4>"}) cuda.launches.emplace_back().kernel = kernel;
    return cuda;
  }();
  try {
    const auto made = evaluator::cuda::read_made_launches(
        std::string_view(reinterpret_cast<const char*>(data), size), kCuda);
    if (made.size() != kCuda.launches.size()) std::abort();
    for (const auto& [kernel, launch] : made) {
      if (launch.symbol.empty() || launch.symbol.find('\n') != std::string::npos) std::abort();
      for (const std::uint32_t argument : launch.arguments.value_or(std::vector<std::uint32_t>())) {
        const bool literal = argument >= evaluator::cuda::kFirstLiteral;
        if (literal ? argument - evaluator::cuda::kFirstLiteral >= launch.literals.size()
                    : argument >= kCuda.arguments.size()) {
          std::abort();
        }
      }
    }
  } catch (const std::runtime_error&) {
  }
  return 0;
}
