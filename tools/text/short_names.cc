#include "tools/text/short_names.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

constexpr std::string_view kDots = "...";

// The last `count` code points.
std::string_view end_of(std::string_view text, std::size_t count) {
  std::size_t at = text.size();
  while (count > 0 && at > 0) {
    --at;
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) --count;
  }
  return text.substr(at);
}

// The same from where a word of the name begins.
std::string_view words_at_end_of(std::string_view text, std::size_t count) {
  constexpr std::string_view kBetween = "-_./ ,=";
  const std::string_view tail = end_of(text, count);
  if (tail.size() == text.size()) return tail;
  const std::size_t between = text.find_first_of(kBetween, text.size() - tail.size() - 1);
  return between == std::string_view::npos ? "" : text.substr(between + 1);
}

using Tail = std::string_view (*)(std::string_view text, std::size_t count);

// `count` of its code points at most stand behind the dots.
std::string cut(const std::string& name, std::size_t width, Tail tail_of, std::size_t count) {
  if (width_of(name) <= width) return name;
  const std::string_view tail = tail_of(name, count);
  return fit(name, width - width_of(tail)) + std::string(tail);
}

std::size_t distinct(const std::vector<std::string>& names) {
  return std::set<std::string_view>(names.begin(), names.end()).size();
}

// Behind the dots, most wanted first: nothing, the half, more than that, less.
std::vector<std::size_t> tails_of(std::size_t width) {
  const std::size_t most = width - kDots.size(), half = most / 2;
  std::vector<std::size_t> tails = {0};
  for (std::size_t tail = half; tail <= most; ++tail) tails.push_back(tail);
  for (std::size_t tail = half; tail-- > 1;) tails.push_back(tail);
  return tails;
}

// How many bytes all of them begin with.
std::size_t shared_by(const std::vector<std::string>& names) {
  std::string_view shared = names.front();
  for (const std::string& name : names) {
    const auto differs = std::ranges::mismatch(shared, name);
    shared = shared.substr(0, static_cast<std::size_t>(differs.in1 - shared.begin()));
  }
  std::size_t bytes = shared.size();
  const auto in_character = [&](const std::string& name) {
    return bytes < name.size() && (static_cast<unsigned char>(name[bytes]) & 0xC0) == 0x80;
  };
  while (bytes > 0 && std::ranges::any_of(names, in_character)) --bytes;
  return bytes;
}

}  // namespace

std::vector<std::string> short_names(std::vector<std::string> names, std::size_t width) {
  for (std::string& name : names) name = one_line(name);
  const auto is_wide = [&](const std::string& name) { return width_of(name) > width; };
  if (width <= kDots.size() || std::ranges::none_of(names, is_wide)) return names;
  const std::size_t before = distinct(names);
  std::vector<std::string> shown(names.size());
  for (const Tail tail_of : {words_at_end_of, end_of}) {
    for (const std::size_t count : tails_of(width)) {
      const auto has_none = [&](const std::string& name) {
        return is_wide(name) && tail_of(name, count).empty();
      };
      if (count > 0 && std::ranges::any_of(names, has_none)) continue;  // cut alike or not at all
      std::ranges::transform(names, shown.begin(), [&](const std::string& name) {
        return cut(name, width, tail_of, count);
      });
      if (distinct(shown) == before) return shown;
    }
  }
  // They differ in the middle: what all begin with is left out.
  const std::size_t shared = shared_by(names);
  std::ranges::transform(names, shown.begin(), [&](const std::string& name) {
    return is_wide(name) ? fit(std::string(kDots) + name.substr(shared), width) : name;
  });
  return distinct(shown) == before ? shown : names;
}

}  // namespace nightshift::tools
