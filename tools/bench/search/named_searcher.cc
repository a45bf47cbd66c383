#include "tools/bench/search/named_searcher.h"

#include <charconv>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "search/searcher_catalogue.h"

namespace nightshift::bench {
namespace {

template <class Number>
bool read_whole(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  return std::from_chars(text.data(), end, number).ptr == end && !text.empty();
}

search::Value value_of(const std::string& text) {
  std::int64_t count = 0;
  double number = 0;
  if (read_whole(text, count)) return count;
  if (read_whole(text, number)) return number;
  if (text == "true" || text == "false") return text == "true";
  throw std::invalid_argument("an option of a searcher is a number, true or false, not '" + text +
                              "'");
}

}  // namespace

std::unique_ptr<search::Searcher> named_searcher(const std::string& name,
                                                 const search::ParameterSpace& space,
                                                 search::SearcherSettings settings) {
  std::istringstream parts(name);
  std::string searcher;
  std::getline(parts, searcher, ':');
  for (std::string option; std::getline(parts, option, ':');) {
    const auto equals = option.find('=');
    if (equals == std::string::npos) {
      throw std::invalid_argument("an option of a searcher is NAME=VALUE, not '" + option + "'");
    }
    settings.options.emplace_back(option.substr(0, equals), value_of(option.substr(equals + 1)));
  }
  return search::make_searcher(searcher, space, settings);
}

}  // namespace nightshift::bench
