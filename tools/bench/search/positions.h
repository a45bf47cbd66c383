#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/bench/search/replay_space.h"

namespace nightshift::bench {

// Takes configurations that a file lists by their position in the file of a space, from 0, each
// once.
class Positions {
 public:
  // `list` is what a complaint calls the list: "a run".
  Positions(const ReplaySpace& space, std::string list);

  // Throws UsageError for one that is not there, or was taken before.
  search::ConfigurationIndex take(const nlohmann::ordered_json& position);

 private:
  const ReplaySpace& space_;
  std::string list_;
  std::vector<bool> seen_;
};

// Calls use() with what is in the file. Throws UsageError that begins with the file's name where it
// cannot be read, is no JSON, or not what use() expects, and where use() throws one.
void with_json(const std::string& file,
               const std::function<void(const nlohmann::ordered_json&)>& use);

}  // namespace nightshift::bench
