#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/override.h"
#include "search/problem.h"

namespace nightshift::kernels {

// Reads a T1 file, the auto-tuning community's JSON form of a problem; throws ProblemFileError.
//
// - ConfigurationSpace: TuningParameters {Name, Type, Values: a list or a Python list as text,
//   Default} and Conditions {Expression}.
// - KernelSpecification: Language "C++" or "C" is a host problem (KernelFile, KernelName,
//   CompilerOptions, Arguments of MemoryType Vector or Scalar, sizes over literal numbers and
//   parameters). "CUDA" is a CUDA problem of one launch (LocalSize, GlobalSize, GlobalSizeType
//   "CUDA" for blocks or "OpenCL" for threads, SharedMemory), whose answers are compared with the
//   baseline's. The space of another language, which needs a backend that there is not, can be
//   searched in a recording (override recorded.file, relative to the folder of the T1 file).
// - Budget: TuningDuration (seconds), ConfigurationCount. Search: Name where we have a searcher of
//   that name. General: TimeUnit. Anything else is ignored, as the format wants it.
//
// Overrides may set what concerns the study and not the file: name, recorded, baseline, and the
// tables of read_settings().
search::Problem read_t1_problem(std::string_view text, const std::string& path,
                                const std::vector<Override>& overrides);

}  // namespace nightshift::kernels
