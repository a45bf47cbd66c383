#include "problems/readers/file_paths.h"

#include <string_view>
#include <system_error>
#include <vector>

#include "problems/readers/diagnostics.h"

namespace nightshift::problems {

namespace fs = std::filesystem;

fs::path folder_of(const std::string& path) {
  return fs::absolute(path).lexically_normal().parent_path();
}

std::optional<std::string> find_file(const fs::path& folder, const std::string& name) {
  const fs::path path = (folder / name).lexically_normal();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  return path.string();
}

namespace {

// "a FIFO" of what is there and no file; empty where nothing is.
std::string_view kind_of(const fs::path& path) {
  std::error_code error;
  switch (fs::status(path, error).type()) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::fifo:
      return "a FIFO";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::not_found:
    case fs::file_type::none:
      break;
    default:
      return "something else";
  }
  return fs::is_symlink(path, error) ? "a link to nothing" : "";
}

}  // namespace

std::string no_such_file(const fs::path& folder, const std::string& name) {
  const fs::path path = (folder / name).lexically_normal();
  if (const std::string_view kind = kind_of(path); !kind.empty()) {
    return "names " + in_quotes(name) + ", which is " + std::string(kind) + " and no file in " +
           path.parent_path().string();
  }
  std::vector<std::string> neighbours;
  std::error_code error;
  for (fs::directory_iterator it(path.parent_path(), error), end; !error && it != end;
       it.increment(error)) {
    neighbours.push_back(it->path().filename().string());
  }
  return "names " + in_quotes(name) + ", which is no file in " + path.parent_path().string() +
         suggestion(path.filename().string(), neighbours);
}

}  // namespace nightshift::problems
