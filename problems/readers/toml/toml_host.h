#pragma once

#include <filesystem>

#include "problems/readers/expression_text.h"
#include "problems/readers/problem/host_problem.h"
#include "problems/readers/table_reader.h"

namespace nightshift::problems {

// [host].sizes, which may stand in conditions and constraints.
Constants read_host_sizes(TableReader& host);

// [host] whole. Files are relative to `folder`; flag parameters are not part of the table.
PlacedHost read_host(TableReader& host, const KnownNames& names,
                     const std::filesystem::path& folder);

}  // namespace nightshift::problems
