#include "problems/readers/file_paths.h"

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

std::string no_such_file(const fs::path& folder, const std::string& name) {
  const fs::path path = (folder / name).lexically_normal();
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
