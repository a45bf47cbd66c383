#include "evaluator/command/substitution.h"

#include <stdexcept>

#include "search/value.h"

namespace nightshift::evaluator {

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
    if (end == std::string_view::npos) {
      throw std::runtime_error("'" + std::string(text) +
                               "' has a brace that is not closed; {{ stands for a brace itself");
    }
    const std::string_view name = text.substr(at + 1, end - at - 1);
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
