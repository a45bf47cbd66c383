#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "search/searcher.h"

namespace nightshift::search {

// What comes before a searcher's own proposals, or between them.

// Proposes `starts` in their order, then what `searcher` proposes, which is told of all; nullptr:
// nothing more. Those that are no configurations of the space, or listed twice, are left out.
std::unique_ptr<Searcher> starts_first(std::unique_ptr<Searcher> searcher,
                                       const ParameterSpace& space,
                                       const std::vector<ConfigurationIndex>& starts);

// Of the first 2 * `trials` proposals every other one differs from `baseline` in one or two
// parameters, and the rest is what `searcher` proposes, which is told of all: for baselines that
// are good already. Changes of one parameter take turns over all parameters, in random order but
// block sizes and the number of warps first. Where nothing new is that near, the searcher goes on.
std::unique_ptr<Searcher> near_baseline(std::unique_ptr<Searcher> searcher,
                                        const ParameterSpace& space, ConfigurationIndex baseline,
                                        std::size_t trials, std::uint64_t seed);

}  // namespace nightshift::search
