#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/problem_table.h"
#include "problems/readers/keys/setting_kinds.h"
#include "problems/readers/table_reader.h"

namespace nightshift::problems {

// One row a key: what people are told of it, and how it comes into an `Owner`. All else that has to
// know a key knows it from its row, or from the member.
template <class Owner>
struct Setting {
  // Whether the key was there and right; else the owner stays as it was.
  using Read = std::function<bool(TableReader&, Owner&)>;
  ProblemKey key;
  Read read;

  // Where the key is absent, other keys follow from that, or its own default from them: `meaning`
  // says it, with the default and `more` behind.
  Setting absent(std::string_view more = {}) && {
    key.meaning += "; absent: " + key.fallback + std::string(more);
    return std::move(*this).unsaid();
  }
  // The same where the default of the member is nothing to tell.
  Setting unsaid() && {
    key.fallback.clear();
    return std::move(*this);
  }
  Setting by(Read reader) && {
    read = std::move(reader);
    return std::move(*this);
  }
};

// The row of what `member` leads to. Its default is that of an Owner which nobody has touched.
template <class Owner, class Member, class Kind>
Setting<Owner> setting_at(std::string name, const Member& member, const Kind& kind,
                          std::string meaning) {
  Owner untouched;
  ProblemKey key{name, shape_of(kind), default_of(kind, member(untouched)), std::move(meaning)};
  return {std::move(key), [name = std::move(name), member, kind](TableReader& table, Owner& owner) {
            return read(table, name, kind, member(owner));
          }};
}
template <class Owner, class Value, class Kind>
Setting<Owner> setting(std::string name, Value Owner::*member, const Kind& kind,
                       std::string meaning) {
  const auto its = [member](Owner& owner) -> Value& { return owner.*member; };
  return setting_at<Owner>(std::move(name), its, kind, std::move(meaning));
}
template <class Owner, class Part, class Value, class Kind>
Setting<Owner> setting(std::string name, Part Owner::*part, Value Part::*member, const Kind& kind,
                       std::string meaning) {
  const auto its = [part, member](Owner& owner) -> Value& { return owner.*part.*member; };
  return setting_at<Owner>(std::move(name), its, kind, std::move(meaning));
}
// A key that is no member, or that another reader reads: it is known, and that is all.
template <class Owner>
Setting<Owner> elsewhere(ProblemKey key) {
  const std::string name = key.name;
  return {std::move(key),
          [name](TableReader& table, Owner&) { return table.take(name) != nullptr; }};
}

// The rows of a table.
template <class Owner>
class Settings {
 public:
  Settings(std::string name, std::string meaning, std::vector<Setting<Owner>> rows)
      : rows_(std::move(rows)) {
    ProblemTable table{std::move(name), std::move(meaning), false, {}};
    for (const Setting<Owner>& row : rows_) table.keys.push_back(row.key);
    table_ = kept(std::move(table));
  }

  const ProblemTable* table() const { return table_; }
  // In the order of the rows; the names of those that were there and right.
  std::set<std::string_view> read(TableReader& table, Owner& owner) const {
    std::set<std::string_view> said;
    for (const Setting<Owner>& row : rows_) {
      if (row.read(table, owner)) said.insert(row.key.name);
    }
    return said;
  }

 private:
  std::vector<Setting<Owner>> rows_;
  const ProblemTable* table_;
};

}  // namespace nightshift::problems
