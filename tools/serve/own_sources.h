#pragma once

#include <map>
#include <string>

#include "search/identity.h"

namespace nightshift::tools {

// What a night's problems were made of when their first candidate was measured, kept in
// own_sources.json of the night's folder: candidates of one night meet one baseline.
class OwnSources {
 public:
  // `folder`: of the night. A file that cannot be read counts as none.
  explicit OwnSources(const std::string& folder);

  // What is not known of `problem` yet is kept. Throws UsageError that names what has changed since,
  // where that changes figures; std::system_error where it cannot be kept.
  void hold(const std::string& problem, const search::Identity& now);

 private:
  std::string path_;
  std::map<std::string, search::Identity> known_;
};

}  // namespace nightshift::tools
