#include "search/substitution.h"

#include <algorithm>
#include <stdexcept>

#include "search/value.h"

namespace nightshift::search {
namespace {

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (text.empty() || !is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string substituted(std::string_view text, const Configuration& configuration) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '{') {
      result += text[at++];
      continue;
    }
    if (text.substr(at, 2) == "{{") {
      result += '{';
      at += 2;
      continue;
    }
    const std::size_t end = text.find('}', at);
    const std::string_view name = text.substr(at + 1, std::min(end, text.size()) - at - 1);
    if (!is_identifier(name)) {
      result += text[at++];
      continue;
    }
    if (end == std::string_view::npos) {
      throw std::runtime_error("'" + std::string(text) +
                               "' has a brace that is not closed; {{ stands for a brace itself");
    }
    const Value* value = configuration.find(name);
    if (value == nullptr) {
      throw std::runtime_error("'" + std::string(text) + "' asks for {" + std::string(name) +
                               "}, which is no parameter; {{ stands for a brace itself");
    }
    result += to_text(*value);
    at = end + 1;
  }
  return result;
}

std::vector<std::string> substituted(const std::vector<std::string>& words,
                                     const Configuration& configuration) {
  std::vector<std::string> result;
  result.reserve(words.size());
  for (const std::string& word : words) result.push_back(substituted(word, configuration));
  return result;
}

std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
    const std::size_t end = text.find('}', at);
    const std::string_view name = text.substr(at + 1, std::min(end, text.size()) - at - 1);
    const bool is_brace = text.substr(at, 2) == "{{";
    const bool is_name = !is_brace && end != std::string_view::npos && is_identifier(name);
    if (is_name && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    at += is_brace ? 2 : 1;
  }
  return names;
}

}  // namespace nightshift::search
