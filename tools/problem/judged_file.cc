#include "tools/problem/judged_file.h"

#include <fmt/format.h>

#include "base/file_text.h"
#include "problems/judged_source.h"

namespace nightshift::tools {

void write_judged_file(const std::string& path, const std::string& own,
                       const std::vector<std::pair<std::int64_t, std::string>>& others) {
  std::string text;
  const char* word = "if";
  for (const auto& [number, source] : others) {
    text += fmt::format("#{} {} == {}\n#include \"{}\"\n", word, problems::kCandidateParameter,
                        number, source);
    word = "elif";
  }
  text += fmt::format("#else\n#include \"{}\"\n#endif\n", own);
  base::write_file(path, text);
}

}  // namespace nightshift::tools
