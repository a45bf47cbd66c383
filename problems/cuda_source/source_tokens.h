#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::problems {

// A word, a text with its quotes, or a single character. It points into the source.
struct SourceToken {
  std::string_view text;
  std::size_t begin = 0;  // bytes from the start of the source
  int line = 0;           // from 1
};

// A line that the preprocessor reads, with those that a backslash joins to it.
struct SourceDirective {
  std::string text;  // from the '#' on, in one line
  std::size_t begin = 0, end = 0;
  int line = 0;
};

// C, C++ or CUDA C++ without comments and without what stands between `#if 0` and its end. Of other
// conditions all branches are there.
struct SourceTokens {
  std::vector<SourceToken> tokens;
  std::vector<SourceDirective> directives;
};

// Never fails: of a text that is no source it makes some tokens or other. `source` must outlive the
// result.
SourceTokens tokens_of(std::string_view source);

bool is_word(std::string_view text);  // a name or a number, not a text or a sign

}  // namespace nightshift::problems
