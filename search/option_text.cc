#include "search/option_text.h"

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

}  // namespace nightshift::search
