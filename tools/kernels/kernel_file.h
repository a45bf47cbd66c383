#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluator/kernel_plan.h"
#include "search/configuration.h"

namespace nightshift::tools {

// What `--format cubin` writes: machine code of CUDA kernels with how they are launched, for the
// loaders of packaging/include/nightshift/ and python/nightshift/kernels.py. docs/morning.md has
// the format.

inline constexpr std::string_view kKernelFileVersion = "nightshift-kernels 1";

struct KernelVariant {
  evaluator::KernelPlan plan;
  search::Configuration configuration;  // complete
  std::string role;                     // "default", "best", "choice-2": no blanks
};

struct KernelFile {
  std::string problem;
  std::vector<std::pair<std::string, std::string>> notes;  // for people: key and text
  int architecture = 0;                                    // ten times the compute capability
  std::vector<std::string> sizes;                          // names
  std::vector<KernelVariant> variants;                     // all with the same arguments
  struct Row {
    std::vector<std::int64_t> sizes;
    std::size_t variant = 0;
  };
  std::vector<Row> rows;
  std::string otherwise = "-1";  // program: the variant of sizes that are no row; -1: there is none
};

// The bytes of the file; equal machine code is in it once. Throws UsageError for names that the
// format cannot hold.
std::string kernel_file_bytes(const KernelFile& file);

}  // namespace nightshift::tools
