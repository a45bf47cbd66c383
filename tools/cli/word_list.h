#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nightshift::tools {

// "csv, json or header" with "or" as the last separator.
std::string list_of(const std::vector<std::string>& words, std::string_view last);
// "; did you mean 'csv'?", or nothing where no word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace nightshift::tools
