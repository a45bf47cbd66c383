#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nightshift::base {

// The known name nearest to `word` by edit distance, when near enough to be a slip; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'csv'?", or nothing where no word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace nightshift::base
