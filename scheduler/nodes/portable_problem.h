#pragma once

#include <string>
#include <vector>

#include "search/problem.h"

namespace nightshift::scheduler {

// A file that a problem is made of: where it is on the head, and the hash of its content.
struct ProblemFile {
  std::string path;
  std::string hash;
};
// A problem whose paths are absolute, with its files.
struct PortableProblem {
  search::Problem problem;
  std::vector<ProblemFile> files;
};

}  // namespace nightshift::scheduler
