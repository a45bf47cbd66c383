#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nightshift::evaluator {

// What the options of a compiler name beside its source, from the folder in which it is started.
struct OptionFiles {
  struct File {
    std::string name;  // as the options have it; a library with its folder of -L
    std::filesystem::path path;
  };
  // The options as the compiler and its linker see them: words of @files in their place, and what
  // -Wl and -Xlinker hand on as words of their own.
  std::vector<std::string> options;
  // Sources, objects, archives, scripts, profiles, @files; and of -lNAME what is in the folders of
  // -L, shared or not. Libraries of the system are the compiler's.
  std::vector<File> files;
  std::vector<std::filesystem::path> folders;  // of profiles
  std::vector<std::string> missing;  // absolute paths at which a library was looked for in vain
};
// Never throws: what cannot be read is for the compiler to say.
OptionFiles files_in_options(const std::vector<std::string>& options,
                             const std::filesystem::path& directory);

}  // namespace nightshift::evaluator
