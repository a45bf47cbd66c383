#include "search/figures/left_running.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace nightshift::search {
namespace {

constexpr std::string_view kBetween = ", ";

// A process may be called anything; what separates names is none of them.
std::string plain(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return c == ',' || std::isgraph(c) == 0; }, '_');
  return name;
}

}  // namespace

std::string words_of(const ProcessNames& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : kBetween) += plain(name);
  return text;
}

ProcessNames left_running_in(const Measurement& measurement) {
  ProcessNames names;
  const std::string text = measurement.condition(kLeftRunningCondition);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(kBetween, at), text.size());
    names.insert(text.substr(at, end - at));
    at = end + kBetween.size();
  }
  return names;
}

ProcessNames beyond(const ProcessNames& names, const ProcessNames& usual) {
  ProcessNames rest;
  std::ranges::set_difference(names, usual, std::inserter(rest, rest.end()));
  return rest;
}

std::string left_running_words(std::string_view whose, const ProcessNames& names) {
  return std::string(whose) + " left " + words_of(names) +
         " running behind its end: that was killed, and is no part of its figures";
}

std::string left_running_complaint(std::string_view whose, const ProcessNames& names,
                                   std::string_view other) {
  return std::string(whose) + " left " + words_of(names) + " running behind its end, which " +
         std::string(other) +
         " does not: its figures are not those of its work. It has to wait for what it starts "
         "(`wait` in a shell)";
}

}  // namespace nightshift::search
