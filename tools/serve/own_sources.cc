#include "tools/serve/own_sources.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/file_text.h"
#include "tools/problem/made_of.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;

search::Identity identity_of(const Json& parts) {
  search::Identity identity;
  for (const auto& [key, value] : parts.items()) {
    if (!value.is_string()) continue;
    if (auto part = search::part_of(key, value)) identity.push_back(std::move(*part));
  }
  return identity;
}

bool knows(const search::Identity& identity, const search::IdentityPart& part) {
  return std::ranges::any_of(
      identity, [&](const auto& one) { return one.kind == part.kind && one.name == part.name; });
}

}  // namespace

OwnSources::OwnSources(const std::string& folder) : path_(folder + "/own_sources.json") {
  const Json all = Json::parse(base::text_if_there(path_), nullptr, false);
  if (!all.is_object()) return;
  for (const auto& [problem, parts] : all.items()) {
    if (parts.is_object()) known_[problem] = identity_of(parts);
  }
}

void OwnSources::hold(const std::string& problem, const search::Identity& now) {
  search::Identity& known = known_[problem];
  const std::vector<search::IdentityChange> changes = search::changes_between(known, now);
  if (search::any_matters(changes)) {
    throw UsageError("since this night began, " + list_of_changes(changes, true) +
                     ", so that candidates would meet another baseline than those before: put "
                     "that back, or begin another night");
  }
  bool is_new = false;
  for (const search::IdentityPart& part : now) {
    if (knows(known, part)) continue;
    known.push_back(part);
    is_new = true;
  }
  if (!is_new) return;
  Json all = Json::object();
  for (const auto& [name, identity] : known_) {
    for (const search::IdentityPart& part : identity) all[name][search::key_of(part)] = part.value;
  }
  base::write_whole_file(path_, all.dump(1) + "\n");
}

}  // namespace nightshift::tools
