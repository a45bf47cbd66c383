#include "tools/problem/judged_file.h"

#include <fmt/format.h>

#include "base/file_text.h"
#include "evaluator/host/build/source_language.h"
#include "problems/judged_source.h"

namespace nightshift::tools {

std::string_view judged_ending(const std::string& source) {
  using search::SourceLanguage;
  switch (evaluator::language_of_file(source)) {
    case SourceLanguage::kC:
      return ".c";
    case SourceLanguage::kFortran:
      return search::is_fixed_form(source) ? ".f" : ".f90";
    case SourceLanguage::kAssembler:
      return ".S";  // .s would include nothing
    case SourceLanguage::kCpp:
    case SourceLanguage::kOther:
      break;
  }
  return ".cc";
}

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
