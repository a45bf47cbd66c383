#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nightshift::tools {

// A case of a JUnit XML report, as pipelines show it.
struct JunitCase {
  enum class Outcome : std::uint8_t { kGood, kError, kFailure, kSkipped };
  std::string group, name;  // texts of any origin
  Outcome outcome = Outcome::kGood;
  std::string message;  // of all but kGood
};

std::string junit_suite(const std::string& name, const std::vector<JunitCase>& cases,
                        double seconds);

}  // namespace nightshift::tools
