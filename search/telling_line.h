#pragma once

#include <cstddef>
#include <string_view>

namespace nightshift::search {

// Where the first line begins that says what is wrong, in what a compiler, a linker or a dying
// program printed: later ones follow from it, and the last often says nothing ("collect2: error: ld
// returned 1 exit status" comes after the linker's own words). npos where no line looks so.
std::size_t first_error_line(std::string_view text);

}  // namespace nightshift::search
