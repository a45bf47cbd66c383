#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/answers/argument_shape.h"
#include "evaluator/cuda/launch/plan_reader.h"
#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

// The first compute capability, times ten, whose devices have tensor maps.
constexpr int kFirstWithTensorMaps = 90;

// A tensor map with its expressions worked out. Dimension 0 is the innermost.
struct PlannedMap {
  std::string name;
  std::uint32_t argument = 0;  // position in CudaBackend::arguments
  search::ElementType type = search::ElementType::kUint8;
  std::vector<std::uint64_t> extent;       // elements of each dimension
  std::vector<std::uint64_t> pitch_bytes;  // of dimension 1, 2 ...
  std::vector<std::uint32_t> box;          // elements of each dimension
  std::uint32_t swizzle = 0;               // bytes; 0 = none
  std::uint32_t l2_promotion = 0;          // bytes; 0 = none
};

// Works out a map of `cuda`, whose arguments are of `shapes`. Throws std::runtime_error that names
// the map where the driver would refuse it, or where it reaches beyond its vector.
PlannedMap plan_map(const search::CudaBackend& cuda, const search::TensorMap& map,
                    const std::vector<ArgumentShape>& shapes, const PlanReader& reader);

// All of it but its name: maps with the same text over the same vector do the same.
std::string text_of(const PlannedMap& map);

}  // namespace nightshift::evaluator::cuda
