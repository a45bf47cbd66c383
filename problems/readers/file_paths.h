#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace nightshift::problems {

// The folder of a file, absolute; what the file names is relative to it.
std::filesystem::path folder_of(const std::string& path);

// The file as an absolute path; nullopt where it is no file.
std::optional<std::string> find_file(const std::filesystem::path& folder, const std::string& name);

// "names 'sgem.cc', which is no file in /folder; did you mean 'sgemm.cc'?"
std::string no_such_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace nightshift::problems
