#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightshift::evaluator::cuda {

// Headers of hosts, which NVRTC has not got, as far as device code needs them: numbers and limits
// of C, what of the standard library CUDA's own one has, the types of torch's extensions.

inline constexpr const char* kStubPrelude = "nightshift_device.h";

// Names and texts of those that stand in for a header whether it is there or not; kStubPrelude,
// which has what nvcc includes unasked, is among them.
const std::vector<std::pair<std::string, std::string>>& stub_headers();

// What stands in for a header that no folder has; most are empty.
std::string stub_for(std::string_view name);

}  // namespace nightshift::evaluator::cuda
