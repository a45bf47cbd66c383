#include "search/option_text.h"

#include <algorithm>

namespace nightshift::search {

std::string option_text(const FlagParameter& flag, const Value& value) {
  const std::string given = to_text(value);
  if (given.empty()) return "";
  std::string text;
  for (std::size_t at = 0; at < flag.pattern.size();) {
    const bool hole = flag.pattern.compare(at, 2, "{}") == 0;
    text += hole ? given : flag.pattern.substr(at, 1);
    at += hole ? 2 : 1;
  }
  return text;
}

std::vector<std::string> option_words(const std::vector<FlagParameter>& flags,
                                      const Configuration& configuration) {
  std::vector<std::string> words;
  for (const auto& [name, value] : configuration.entries()) {
    const auto flag = std::ranges::find(flags, name, &FlagParameter::parameter);
    if (flag == flags.end()) continue;
    const std::string text = option_text(*flag, value);
    std::size_t begin = 0;
    while ((begin = text.find_first_not_of(' ', begin)) != std::string::npos) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      words.push_back(text.substr(begin, end - begin));
      begin = end;
    }
  }
  return words;
}

}  // namespace nightshift::search
