#pragma once

#include <cstdint>
#include <memory>

#include "search/searcher.h"

namespace nightshift::search {

// One function a file; the catalogue in searcher.cc joins them.
std::unique_ptr<Searcher> make_exhaustive_searcher(const ParameterSpace& space, std::uint64_t seed);
std::unique_ptr<Searcher> make_random_searcher(const ParameterSpace& space, std::uint64_t seed);
std::unique_ptr<Searcher> make_pattern_searcher(const ParameterSpace& space, std::uint64_t seed);

}  // namespace nightshift::search
