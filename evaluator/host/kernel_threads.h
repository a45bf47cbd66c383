#pragma once

#include <filesystem>
#include <string_view>

namespace nightshift::evaluator {

// What the code of a shared object starts threads by: "OpenMP", "TBB" or "threads" of C++ and POSIX; empty
// where it asks for none. Told by the names that it needs, since a runtime that finds one core starts no
// thread that could be counted. Of a folder with objects of several cases the first that has some.
std::string_view threads_of(const std::filesystem::path& artifact);

// Cores that this process may run on.
int usable_cores();

}  // namespace nightshift::evaluator
