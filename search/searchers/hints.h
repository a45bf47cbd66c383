#pragma once

#include <vector>

#include "search/searcher.h"

namespace nightshift::search {

// The best few of an earlier study, the very best first: what is worth a proposal before anything
// is known here. Trials that failed or were dropped after their first samples are no hints.
std::vector<ConfigurationIndex> hints_of(const std::vector<KnownTrial>& earlier);

}  // namespace nightshift::search
