#pragma once

#include <nlohmann/json_fwd.hpp>

#include "search/identity.h"

namespace nightshift::tools {

// [{kind, name, value}]: `made_of` of exports, of the history, of `--json`.
nlohmann::ordered_json identity_json(const search::Identity& identity);
// Parts that are none, of text that anybody may have written, are passed over.
search::Identity identity_of(const nlohmann::json& parts);

}  // namespace nightshift::tools
