#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/override.h"
#include "problems/problem_reading.h"
#include "problems/readers/diagnostics.h"

namespace nightshift::problems {

// Reads a T1 file, the auto-tuning community's JSON form of a problem. Throws ProblemFileError
// where it is no JSON.
//
// - ConfigurationSpace: TuningParameters {Name, Type, Values: a list or a Python list as text,
//   Default} and Conditions {Expression}. Defaults that are no configuration are mended and noted
//   (t1_defaults.h), as Kernel Tuner has no use for them.
// - KernelSpecification: Language "C++" or "C" is a host problem, "CUDA" a CUDA problem of one
//   launch (t1_launch.h), whose answers are compared with the baseline's. KernelFile, KernelName,
//   CompilerOptions; Arguments {Type, also a vector type such as float2; MemoryType Vector or
//   Scalar; Size, FillValue over numbers, parameters and ProblemSize; FillType Constant, Random or
//   Generator of "i"; MemType Constant}. The space of another language can be searched in a
//   recording (override recorded.file, relative to the folder of the T1 file).
// - Budget: TuningDuration (seconds), ConfigurationCount. Search: Name where we have a searcher of
//   that name. General: TimeUnit. Anything else is ignored, as the format wants it.
//
// Overrides may set what concerns the study and not the file: name, recorded, baseline, and the
// tables of read_settings().
ProblemReading read_t1_problem(std::string_view text, const std::string& path,
                               const std::vector<Override>& overrides,
                               NamedFiles files = NamedFiles::kNeeded);

}  // namespace nightshift::problems
