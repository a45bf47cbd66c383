#pragma once

#include <toml++/toml.h>

#include <string>

#include "base/whole_range.h"

namespace nightshift::problems {

// What the parser says, and where a number is too large, how far numbers go.
inline std::string complaint_of(const toml::parse_error& error) {
  std::string said(error.description());
  // The second is what the parser says of 1e400.
  if (said.find("not representable in 64 bits") != std::string::npos ||
      said.find("could not be interpreted as a value") != std::string::npos) {
    said += "; " + std::string(base::kWholeRange) + ", and others as far as a double does";
  }
  return said;
}

}  // namespace nightshift::problems
