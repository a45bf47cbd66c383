#include "search/configuration.h"

#include <algorithm>

namespace nightshift::search {

const Value* Configuration::find(std::string_view name) const {
  const auto it = std::ranges::find(entries_, name, &Entry::first);
  return it == entries_.end() ? nullptr : &it->second;
}

void Configuration::set(std::string_view name, Value value) {
  const auto it = std::ranges::find(entries_, name, &Entry::first);
  if (it != entries_.end()) {
    it->second = std::move(value);
  } else {
    entries_.emplace_back(std::string(name), std::move(value));
  }
}

std::string Configuration::to_json() const {
  std::string out = "{";
  for (const auto& [name, value] : entries_) {
    if (out.size() > 1) out += ", ";
    out += json_quoted(name);
    out += ": ";
    out += search::to_json(value);
  }
  out += '}';
  return out;
}

bool operator==(const Configuration& a, const Configuration& b) {
  return std::ranges::equal(a.entries_, b.entries_, [](const auto& x, const auto& y) {
    return x.first == y.first && same_value(x.second, y.second);
  });
}

}  // namespace nightshift::search
