#pragma once

#include <cstddef>
#include <string_view>

namespace nightshift::search {

// Where the first line begins that says what is wrong, in what a compiler, a linker or a dying
// program printed: later ones follow from it, and the last often says nothing ("collect2: error: ld
// returned 1 exit status" comes after the linker's own words). npos where no line looks so.
std::size_t first_error_line(std::string_view text);

bool tells_of_full_disk(std::string_view words);  // by those of the C library

// How the message of a launch or, behind "NAME cannot be started: ", of a build begins, where the
// system had no process, memory or descriptor to spare for a program: it says nothing of the
// configuration.
inline constexpr std::string_view kNoProcess = "the system starts no process for now";
bool tells_of_no_process(std::string_view message);

}  // namespace nightshift::search
