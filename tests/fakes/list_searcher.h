#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/searcher.h"

namespace nightshift::fakes {

// Proposes the configurations in the order of their indices and remembers what it is told.
class ListSearcher final : public search::Searcher {
 public:
  explicit ListSearcher(base::Wide size) : size_(size) {}

  std::vector<search::ConfigurationIndex> ask(std::size_t n) override {
    std::vector<search::ConfigurationIndex> out;
    while (out.size() < n && next_ < size_) out.push_back({next_++});
    return out;
  }
  void tell(search::ConfigurationIndex c, const search::Observation& o) override {
    told.emplace_back(static_cast<std::uint64_t>(c.value), o);
  }

  std::vector<std::pair<std::uint64_t, search::Observation>> told;

 private:
  base::Wide size_;
  base::Wide next_ = 0;
};

}  // namespace nightshift::fakes
