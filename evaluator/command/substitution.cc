#include "evaluator/command/substitution.h"

#include <algorithm>
#include <stdexcept>

#include "search/value.h"

namespace nightshift::evaluator {
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

std::string substituted(std::string_view text, const search::Configuration& configuration) {
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
    const search::Value* value = configuration.find(name);
    if (value == nullptr) {
      throw std::runtime_error("'" + std::string(text) + "' asks for {" + std::string(name) +
                               "}, which is no parameter; {{ stands for a brace itself");
    }
    result += search::to_text(*value);
    at = end + 1;
  }
  return result;
}

std::vector<std::string> substituted(const std::vector<std::string>& words,
                                     const search::Configuration& configuration) {
  std::vector<std::string> result;
  result.reserve(words.size());
  for (const std::string& word : words) result.push_back(substituted(word, configuration));
  return result;
}

}  // namespace nightshift::evaluator
