#pragma once

#include <filesystem>

#include "kernels/readers/expression_text.h"
#include "kernels/readers/json_reader.h"
#include "kernels/readers/problem/cuda_problem.h"

namespace nightshift::kernels {

// A KernelSpecification in CUDA as a CUDA backend of one launch: LocalSize are the threads of a
// block; GlobalSize blocks, or with GlobalSizeType "OpenCL" threads; SharedMemory bytes.
PlacedCuda read_t1_cuda(const JsonReader& kernel, const KnownNames& names,
                        const std::filesystem::path& folder);

}  // namespace nightshift::kernels
