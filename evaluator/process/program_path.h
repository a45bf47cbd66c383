#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nightshift::evaluator {

bool is_file(const std::filesystem::path& path);
// A file that this process may start.
bool is_program(const std::filesystem::path& path);
// As a shell that stands in `folder` would find it: on PATH, or where `word` has a slash, there.
std::optional<std::filesystem::path> find_program(const std::string& word,
                                                  const std::filesystem::path& folder = {});

// Names on PATH of C++ compilers: c++, g++, clang++, each also with a version behind it.
std::vector<std::string> cpp_compilers();

}  // namespace nightshift::evaluator
