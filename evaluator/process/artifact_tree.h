#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace nightshift::evaluator {

// A folder with what a build made, or with what it reads.
struct TreeContent {
  std::string hash;  // of names, bytes, links and who may run what; not of times or of where it is
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::string list;  // what the hash is of: an entry for each file, link and folder
};

// Of a folder or of a single file. Throws std::runtime_error where something cannot be read, or is
// neither file, folder nor symbolic link.
TreeContent content_of_tree(const std::filesystem::path& root);

// Moves the folder to `place`, named by its hash, which appears whole or not at all. Where a folder
// of that content is there already, it stays and `folder` goes. Its list is kept beside it. Throws
// std::system_error, std::runtime_error.
void keep_tree(const std::filesystem::path& folder, const TreeContent& content,
               const std::filesystem::path& place);

// Before an artifact's name: the file with what its compiler said of it, a line "NAME VALUE" each.
inline constexpr const char* kFigures = "figures-";

// Copies an artifact, a file or a folder or a link to one, with its compiler's figures, into another
// folder of artifacts, where it has the same name: a folder is put where its content's hash says and
// linked to, as its builder does. What is there already stays. Throws std::runtime_error,
// std::system_error.
void copy_artifact(const std::filesystem::path& artifact, const std::filesystem::path& folder);

// Whether all that was built is there as it was built, by the list beside it. A program may have
// added files of its own. Where there is no list, as in copies on other nodes, nothing may have
// been added yet, and the list is made.
bool is_whole(const std::filesystem::path& place);

// Looks at trees before programs use them; at each again where its files' sizes or times have
// changed since, so that a large one costs no evaluation a second.
class TreeWatch {
 public:
  // Of an artifact, or of a link to one beside it. Throws DamagedArtifact.
  void expect_whole(const std::filesystem::path& artifact);

 private:
  std::map<std::string, std::string> seen_;  // by place: sizes and times when it was whole
};

}  // namespace nightshift::evaluator
