#pragma once

#include <string>
#include <vector>

#include "evaluator/answers/argument_shape.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// A build of a [host] source that its compiler refused.
struct RefusedBuild {
  const search::HostBackend& host;
  const search::HostSource& source;
  const std::string& file;                   // compiled_file()
  const search::ToldNames& told;             // what the source is told of sizes and parameters
  const std::vector<ArgumentShape>& shapes;  // empty where they cannot be told
  const std::vector<std::string>& program;   // the compiler and its arguments
  bool is_reference;
  const std::string& complaint;
};

// What in the problem the complaint goes back to, with what to change, as sentences to stand before
// it; empty where the complaint says it by itself.
std::string complaint_cause(const RefusedBuild& build);

}  // namespace nightshift::evaluator
