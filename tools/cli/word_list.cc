#include "tools/cli/word_list.h"

#include <cstddef>

#include "base/nearest.h"

namespace nightshift::tools {

std::string list_of(const std::vector<std::string>& words, std::string_view last) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    list += words[i];
  }
  return list;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string meant = base::nearest(word, known);
  return meant.empty() ? "" : "; did you mean '" + meant + "'?";
}

}  // namespace nightshift::tools
