#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "search/options/searcher_option.h"

namespace nightshift::search {

// The options of a searcher as rows, one a member of its settings. What is usual is what the member
// is in settings that nobody has touched: a default stands in one place.
template <class Settings>
class OptionTable {
 public:
  struct Row {
    std::string_view name;
    std::variant<std::size_t Settings::*, double Settings::*, bool Settings::*> member;
    std::string_view meaning;
    double least = 0, most = 1;  // of a truth they mean nothing
  };

  OptionTable(Settings usual, std::vector<Row> rows)
      : usual_(std::move(usual)), rows_(std::move(rows)) {}

  std::vector<SearcherOption> described() const {
    std::vector<SearcherOption> options;
    for (const Row& row : rows_) {
      std::visit(
          [&](auto member) {
            options.push_back({row.name, kind_of(usual_.*member), row.least, row.most,
                               value_of(usual_.*member), row.meaning});
          },
          row.member);
    }
    return options;
  }

  // `given` went through check_options(); what the table has no row of is left out.
  Settings with(const GivenOptions& given) const {
    Settings settings = usual_;
    for (const auto& [name, value] : given) {
      for (const Row& row : rows_) {
        if (row.name != name) continue;
        std::visit([&, &v = value](auto member) { assign(settings.*member, v); }, row.member);
      }
    }
    return settings;
  }

 private:
  static SearcherOption::Kind kind_of(std::size_t) { return SearcherOption::Kind::kCount; }
  static SearcherOption::Kind kind_of(double) { return SearcherOption::Kind::kNumber; }
  static SearcherOption::Kind kind_of(bool) { return SearcherOption::Kind::kTruth; }

  static Value value_of(std::size_t count) { return static_cast<std::int64_t>(count); }
  static Value value_of(double number) { return number; }
  static Value value_of(bool truth) { return truth; }

  template <class Member>
  static void assign(Member& member, const Value& value) {
    if constexpr (std::is_same_v<Member, bool>) {
      member = std::get<bool>(value);
    } else {
      member = static_cast<Member>(as_number(value));
    }
  }

  Settings usual_;
  std::vector<Row> rows_;
};

}  // namespace nightshift::search
