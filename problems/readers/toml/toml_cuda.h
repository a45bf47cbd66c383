#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "problems/readers/expression_text.h"
#include "problems/readers/problem/cuda_problem.h"
#include "problems/readers/table_reader.h"
#include "search/objective.h"

namespace nightshift::problems {

// What names the expressions of a [cuda] problem may use besides parameters, and may be no
// parameters: sizes or cases, dtype and derived. `parameters` are the names of [parameters], which
// is read after this.
struct CudaNames {
  KnownNames names;  // without parameters
  std::optional<search::ElementType> dtype;
  search::CaseTerms terms = {};
};
CudaNames read_cuda_names(TableReader& cuda, const std::vector<std::string>& parameters);

// [cuda] whole. Files are relative to `folder`; flag parameters and figures are not part of the
// table.
PlacedCuda read_cuda(TableReader& cuda, const KnownNames& names,
                     std::optional<search::ElementType> dtype, const std::filesystem::path& folder);

}  // namespace nightshift::problems
