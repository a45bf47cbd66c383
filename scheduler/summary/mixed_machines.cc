#include "scheduler/summary/mixed_machines.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/journal/history.h"

namespace nightshift::scheduler {
namespace {

using Kind = search::IdentityPart::Kind;

// Whose part it is, and what it is a part of: "a" and "GPU driver".
struct Owned {
  std::string node, what;
};

std::optional<Owned> owned(const search::IdentityPart& part) {
  static constexpr std::string_view kOf = " of ";
  const std::string& name = part.name;
  switch (part.kind) {
    case Kind::kDriver:
      return Owned{name, "GPU driver"};
    case Kind::kProcessor:
      return Owned{name, "processor"};
    case Kind::kCompiler: {
      const std::size_t of = name.rfind(kOf);
      if (of == std::string::npos) return std::nullopt;
      return Owned{name.substr(of + kOf.size()), "compiler " + name.substr(0, of)};
    }
    case Kind::kDeviceSetting: {
      const std::string subject = search::subject_of(part);
      if (subject == name || search::is_of_one_device(part)) return std::nullopt;
      return Owned{subject, name.substr(subject.size() + 1)};
    }
    default:
      return std::nullopt;
  }
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  std::size_t left = names.size();
  for (const std::string& name : names) {
    text += (text.empty() ? "" : left == 1 ? " and " : ", ") + name;
    --left;
  }
  return text;
}

}  // namespace

std::string mixed_machines(const search::Identity& identity, const std::set<std::string>& devices) {
  std::set<std::string> nodes;
  for (const std::string& key : devices) nodes.insert(node_of(key));
  std::map<std::string, std::map<std::string, std::set<std::string>>> values;  // nodes by value
  for (const search::IdentityPart& part : identity) {
    const auto its = owned(part);
    if (its && nodes.contains(its->node)) values[its->what][part.value].insert(its->node);
  }
  std::string text;
  for (const auto& [what, by_value] : values) {
    if (by_value.size() < 2) continue;
    std::string difference;
    for (const auto& [value, where] : by_value) {
      difference += (difference.empty() ? what + " " : ", ") + value + " on " + listed(where);
    }
    text += (text.empty() ? "the nodes of the study differ: " : "; ") + difference;
  }
  return text;
}

}  // namespace nightshift::scheduler
