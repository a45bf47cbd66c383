#pragma once

#include <string>
#include <string_view>

namespace nightshift::search {

// Why nothing differs between what was built to one machine code, in the words of all who say so.
// `who`: "both", "all 16 configurations", "X=2 and X=4".
std::string one_code_words(std::string_view who);

}  // namespace nightshift::search
