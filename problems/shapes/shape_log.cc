#include "problems/shapes/shape_log.h"

#include <algorithm>
#include <boost/regex.hpp>
#include <stdexcept>

#include "base/text.h"

namespace nightshift::problems {
namespace {

// Boost knows (?<NAME>...) alone. Where (?< is followed by no name it looks behind.
struct Named {
  std::string expression;
  std::vector<std::string> names;
};
Named named_groups(std::string_view text) {
  Named named;
  bool in_class = false;
  while (!text.empty()) {
    std::size_t taken = 1;
    if (text.front() == '\\') {
      taken = std::min<std::size_t>(2, text.size());
    } else if (in_class) {
      in_class = text.front() != ']';
    } else if (text.front() == '[') {
      in_class = true;
    } else if (text.starts_with("(?<") || text.starts_with("(?P<")) {
      taken = text.find('<') + 1;
      const std::string_view name = text.substr(taken, text.find('>') - taken);
      const bool is_name = !name.empty() && (base::is_letter(name.front()) || name.front() == '_');
      if (is_name && text.find('>') != std::string_view::npos) named.names.emplace_back(name);
      named.expression += "(?<";
      text.remove_prefix(taken);
      continue;
    }
    named.expression += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return named;
}

}  // namespace

struct LogPattern::Compiled {
  boost::regex pattern;
};

LogPattern::LogPattern(std::string_view expression) : compiled_(std::make_unique<Compiled>()) {
  Named named = named_groups(expression);
  names_ = std::move(named.names);
  try {
    compiled_->pattern = boost::regex(named.expression);
  } catch (const boost::regex_error& error) {
    throw std::invalid_argument("is no regular expression: " + std::string(error.what()));
  }
  if (names_.empty()) {
    throw std::invalid_argument(
        "has no named group; write (?<M>[0-9]+) where the size M of a call stands");
  }
}

LogPattern::~LogPattern() = default;

std::map<std::string, std::string, std::less<>> LogPattern::found_in(std::string_view line) const {
  std::map<std::string, std::string, std::less<>> found;
  boost::cmatch match;
  try {
    const char* const begin = line.data();
    if (!boost::regex_search(begin, begin + line.size(), match, compiled_->pattern)) return found;
  } catch (const std::runtime_error&) {
    throw std::invalid_argument("takes too long; have no repetition inside of another one");
  }
  for (const std::string& name : names_) {
    const auto& group = match[name];
    if (group.matched) found[name] = group.str();
  }
  return found;
}

}  // namespace nightshift::problems
