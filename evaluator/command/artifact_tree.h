#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace nightshift::evaluator {

// A folder with what a build made, or with what it reads.
struct TreeContent {
  std::string hash;  // of names, bytes, links and who may run what; not of times or of where it is
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// Of a folder or of a single file. Throws std::runtime_error where something cannot be read, or is
// neither file, folder nor symbolic link.
TreeContent content_of_tree(const std::filesystem::path& root);

// Moves the folder to `place`, which appears whole or not at all. Where a folder of that content is
// there already, it stays and `folder` goes. Throws std::system_error.
void keep_tree(const std::filesystem::path& folder, const TreeContent& content,
               const std::filesystem::path& place);

}  // namespace nightshift::evaluator
