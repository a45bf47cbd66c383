#include "problems/problem_table.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <utility>

namespace nightshift::problems {
namespace {

bool is_any_name(const ProblemKey& key) {
  return std::ranges::all_of(key.name, [](unsigned char c) { return std::isupper(c) != 0; });
}

}  // namespace

const ProblemKey* ProblemTable::find(std::string_view key) const {
  const auto found = std::ranges::find_if(
      keys, [&](const ProblemKey& k) { return k.name == key || is_any_name(k); });
  return found == keys.end() ? nullptr : &*found;
}

const ProblemTable* kept(ProblemTable table) {
  static std::deque<ProblemTable> tables;
  tables.push_back(std::move(table));
  return &tables.back();
}

const ProblemTable* open_table(std::string name, std::string meaning, ValueKind kind,
                               std::string of_each, bool repeated) {
  return kept({std::move(name),
               std::move(meaning),
               repeated,
               {{"NAME", std::move(kind), "", std::move(of_each)}}});
}

ProblemKey table_key(std::string name, const ProblemTable* table, Presence presence) {
  const ValueKind kind = table->repeated ? ValueKind(Tables{}) : ValueKind(Table{});
  return {std::move(name), kind, "", table->meaning, presence, table};
}

}  // namespace nightshift::problems
