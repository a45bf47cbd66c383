#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nightshift::evaluator {

// `#include "name"` or `#include <name>`.
struct IncludeName {
  std::string name;
  bool quoted = false;
  friend bool operator==(const IncludeName&, const IncludeName&) = default;
};

struct IncludeScan {
  std::vector<IncludeName> names;  // in their order, each once
  bool computed = false;           // some are not told without a preprocessor: #include MACRO
};

// What a source may include, whichever way its conditions come out, `__has_include` counted as an
// include. It errs on the side of too much: directives in comments that go over lines and in raw
// strings count, since a parser that knows those could as well miss a directive by a mistake.
IncludeScan scan_includes(std::string_view source);

}  // namespace nightshift::evaluator
