#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/readers/json_reader.h"
#include "problems/readers/problem/cuda_problem.h"
#include "problems/readers/t1/t1_names.h"

namespace nightshift::problems {

// A KernelSpecification in CUDA as a CUDA backend of one launch (t1_launch.h); SharedMemory bytes.
// `names` gains the sizes that become macros, `notes` what is taken in another way than written.
PlacedCuda read_t1_cuda(const JsonReader& kernel, T1Names& names,
                        const std::filesystem::path& folder, std::vector<std::string>& notes);

}  // namespace nightshift::problems
