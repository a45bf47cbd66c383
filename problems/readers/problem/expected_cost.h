#pragma once

#include <optional>

#include "problems/readers/diagnostics.h"
#include "problems/readers/expression_text.h"
#include "problems/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::problems {

// search.expected.
std::optional<LocatedString> read_expected(TableReader& root);

// Hands it to the problem, once for each case: over parameters, and figures of the device, which a
// guess may depend on. Notes where it is no cost for the baseline. After set_baseline().
void set_expected(search::Problem& problem, const LocatedString& text, const KnownNames& names,
                  Diagnostics& diagnostics);

}  // namespace nightshift::problems
