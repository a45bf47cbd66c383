#pragma once

#include <string_view>
#include <vector>

#include "problems/readers/expression_text.h"
#include "problems/readers/table_reader.h"
#include "search/objective.h"

namespace nightshift::problems {

// The key that is no size of a case.
inline constexpr std::string_view kCaseWeight = "weight";

// `sizes` or `cases` of [host] or [cuda]: the sizes of each case, one without sizes where neither is
// there, and with `aggregate` what becomes of their figures. Notes cases that lack a size, or that
// are equal.
std::vector<Constants> read_cases(TableReader& kernels, search::CaseTerms& terms);

// `cases` and `aggregate` of [command], whose program gives figures of each.
void read_named_cases(TableReader& command, search::CaseTerms& terms);

}  // namespace nightshift::problems
