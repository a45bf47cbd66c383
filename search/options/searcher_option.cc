#include "search/options/searcher_option.h"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace nightshift::search {

bool takes(const SearcherOption& option, const Value& value) {
  if (option.kind == SearcherOption::Kind::kTruth) return std::holds_alternative<bool>(value);
  const bool is_whole = std::holds_alternative<std::int64_t>(value);
  const bool is_number = is_whole || (option.kind == SearcherOption::Kind::kNumber &&
                                      std::holds_alternative<double>(value));
  return is_number && as_number(value) >= option.least && as_number(value) <= option.most;
}

void check_options(std::string_view searcher, const std::vector<SearcherOption>& known,
                   const GivenOptions& given) {
  for (const auto& [name, value] : given) {
    const auto option = std::ranges::find(known, name, &SearcherOption::name);
    if (option == known.end()) {
      throw std::invalid_argument("the searcher '" + std::string(searcher) + "' has no option '" +
                                  name + "'");
    }
    if (!takes(*option, value)) {
      throw std::invalid_argument("the option '" + name + "' of the searcher '" +
                                  std::string(searcher) + "' does not take " + to_json(value));
    }
  }
}

}  // namespace nightshift::search
