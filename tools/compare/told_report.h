#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tools/compare/compare.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// Writes what came out as --html, --markdown and --json ask for it. Files first: they hold what may
// have taken hours even where nobody reads standard output any more. Throws UsageError and
// OutputError.
void tell(const CompareOptions& options, const Document& document,
          const nlohmann::ordered_json& object);

}  // namespace nightshift::tools
