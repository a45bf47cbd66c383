#pragma once

#include <optional>
#include <string>

#include "problems/cuda_source/cuda_source.h"

namespace nightshift::tools {

// The first version of a problem file for a function of a source. What only its author knows is
// marked by the text "FILL"; with those filled in, the file is a problem.

enum class DraftKind { kCuda, kHost };
// By the name of a file; nullopt: it is no source.
std::optional<DraftKind> draft_kind(const std::string& file);

// What a source can be tuned by: its kernels, or its functions. Throws UsageError where the file
// cannot be read.
struct DraftSource {
  std::string file;
  DraftKind kind{};
  problems::CudaSourceScan scan;

  const std::vector<problems::CudaKernel>& functions() const {
    return kind == DraftKind::kCuda ? scan.kernels : scan.functions;
  }
};
DraftSource read_draft_source(const std::string& file, DraftKind kind);

// Of the function that is called so; of the first one where `name` is empty. Throws UsageError that
// lists those that there are.
std::string problem_draft(const DraftSource& source, const std::string& name);

// Them all with their lines, for people.
std::string functions_text(const DraftSource& source);

}  // namespace nightshift::tools
