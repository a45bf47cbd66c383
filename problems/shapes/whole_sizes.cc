#include "problems/shapes/whole_sizes.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "search/figures/joined_numbers.h"
#include "search/figures/number_text.h"

namespace nightshift::problems {
namespace {

bool overlap(std::string_view one, std::string_view other) {
  return one.data() < other.data() + other.size() && other.data() < one.data() + one.size();
}

bool is_taken(std::string_view number, const base::BoundedRegex::NamedMatch& found) {
  return overlap(number, found.all) || std::ranges::any_of(found.groups, [&](const auto& group) {
           return overlap(group.second, number);
         });
}

// Of the line, what hangs on the group behind it: "k", ".5", "e3".
std::string_view tail_behind(std::string_view line, std::string_view group) {
  const std::string_view rest =
      line.substr(static_cast<std::size_t>(group.data() + group.size() - line.data()));
  const bool has_point = rest.size() > 1 && rest[0] == '.' && base::is_digit(rest[1]);
  std::size_t end = has_point ? 1 : 0;
  while (end < rest.size() && (base::is_letter(rest[end]) || base::is_digit(rest[end]))) ++end;
  return rest.substr(0, end);
}

// The number with what belongs to it in the line; empty where it is whole.
std::string whole_of(std::string_view line, std::string_view group,
                     const base::BoundedRegex::NamedMatch& found) {
  const bool begins = group.data() == found.all.data();
  const bool ends = group.data() + group.size() == found.all.data() + found.all.size();
  const auto before =
      search::number_before(line.substr(0, static_cast<std::size_t>(group.data() - line.data())));
  const std::string_view tail = ends ? tail_behind(line, group) : std::string_view();
  const std::string_view head = begins ? before : std::string_view();
  if (!head.empty() || !tail.empty())
    return std::string(head) + std::string(group) + std::string(tail);
  for (const search::JoinedNumbers& joined : search::joined_numbers(line)) {
    if (!overlap(joined.all, group)) continue;
    const bool is_all = std::ranges::all_of(
        joined.numbers, [&](const auto& number) { return is_taken(number.text, found); });
    if (!is_all) return std::string(joined.all);
  }
  return {};
}

}  // namespace

std::string part_of_number(std::string_view line, const base::BoundedRegex::NamedMatch& found) {
  for (const auto& [name, group] : found.groups) {
    const bool is_number = !group.empty() && std::ranges::all_of(group, base::is_digit);
    if (!is_number) continue;
    const std::string whole = whole_of(line, group, found);
    if (whole.empty()) continue;
    return name + " is " + base::in_quotes(group) + " of " + base::in_quotes(whole) +
           ": have its group take all of the number, or the expression match what is beside it";
  }
  return {};
}

}  // namespace nightshift::problems
