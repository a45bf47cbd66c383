#include "tools/problem/judged_file.h"

#include <fmt/format.h>

#include <fstream>

#include "problems/judged_source.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

void write_judged_file(const std::string& path, const std::string& own,
                       const std::vector<std::pair<std::int64_t, std::string>>& others) {
  std::ofstream file(path, std::ios::trunc);
  const char* word = "if";
  for (const auto& [number, source] : others) {
    file << fmt::format("#{} {} == {}\n#include \"{}\"\n", word, problems::kCandidateParameter,
                        number, source);
    word = "elif";
  }
  file << fmt::format("#else\n#include \"{}\"\n#endif\n", own);
  if (!file.flush()) throw UsageError(path + " cannot be written");
}

}  // namespace nightshift::tools
