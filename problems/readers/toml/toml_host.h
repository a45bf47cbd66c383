#pragma once

#include <filesystem>

#include "problems/readers/expression_text.h"
#include "problems/readers/problem/host_problem.h"
#include "problems/readers/table_reader.h"

namespace nightshift::problems {

// [host] whole. Files are relative to `folder`; flag parameters are not part of the table.
PlacedHost read_host(TableReader& host, const KnownNames& names,
                     const std::filesystem::path& folder);

}  // namespace nightshift::problems
