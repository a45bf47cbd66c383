#include "problems/shapes/whole_sizes.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"
#include "search/figures/joined_numbers.h"
#include "search/figures/number_text.h"

namespace nightshift::problems {
namespace {

using NamedMatch = base::BoundedRegex::NamedMatch;

std::size_t offset_of(std::string_view part, std::string_view line) {
  return static_cast<std::size_t>(part.data() - line.data());
}

bool overlap(std::string_view one, std::string_view other) {
  return one.data() < other.data() + other.size() && other.data() < one.data() + one.size();
}

bool is_taken(std::string_view number, const NamedMatch& found) {
  return overlap(number, found.all) || std::ranges::any_of(found.groups, [&](const auto& group) {
           return overlap(group.second, number);
         });
}

// Of the line, what hangs on the group behind it: "k", ".5", "e3".
std::string_view tail_behind(std::string_view line, std::string_view group) {
  const std::string_view rest = line.substr(offset_of(group, line) + group.size());
  const bool has_point = rest.size() > 1 && rest[0] == '.' && base::is_digit(rest[1]);
  std::size_t end = has_point ? 1 : 0;
  while (end < rest.size() && (base::is_letter(rest[end]) || base::is_digit(rest[end]))) ++end;
  return rest.substr(0, end);
}

bool is_number(std::string_view group) {
  return !group.empty() && std::ranges::all_of(group, base::is_digit);
}

bool is_in_other_number(std::string_view part, std::string_view group, const NamedMatch& found) {
  return std::ranges::any_of(found.groups, [&](const auto& other) {
    return other.second.data() != group.data() && is_number(other.second) &&
           overlap(part, other.second);
  });
}

// The same within what the expression matched, where words may be columns of a log: digits, ".5",
// "e3", "x1f" and "k".
std::string_view number_tail(std::string_view line, std::string_view group) {
  const std::size_t begin = offset_of(group, line);
  const std::string_view number = line.substr(begin);
  const std::size_t length =
      std::max(search::rest_of_number(number), search::hexadecimal_length(number));
  if (length > group.size()) return number.substr(group.size(), length - group.size());
  const std::string_view word = tail_behind(line, group);
  constexpr std::array<std::string_view, 7> kFactors = {"k", "K", "M", "G", "Ki", "Mi", "Gi"};
  return std::ranges::find(kFactors, word) != kFactors.end() ? word : std::string_view();
}

// What of the line is one number, and the expression matched more of it than its groups have:
// "12,504" of M=(?<M>\d+).*N=(?<N>\d+). Empty where the groups have all of it.
std::string_view matched_whole(std::string_view line, std::string_view group,
                               const NamedMatch& found) {
  const std::size_t begin = offset_of(group, line);
  const std::string_view head = search::number_before(line.substr(0, begin));
  const std::string_view tail = number_tail(line, group);
  const std::size_t before = is_in_other_number(head, group, found) ? 0 : head.size();
  const std::size_t behind = is_in_other_number(tail, group, found) ? 0 : tail.size();
  if (before + behind > 0) return line.substr(begin - before, before + group.size() + behind);
  for (const search::JoinedNumbers& joined : search::joined_numbers(line)) {
    if (!overlap(joined.all, group) || joined.may_be_columns) continue;
    const bool is_all = std::ranges::all_of(joined.numbers, [&](const auto& number) {
      return overlap(number.text, group) || is_in_other_number(number.text, group, found);
    });
    if (!is_all) return joined.all;
  }
  return {};
}

// Whether the expression asks for what is beside the group, as (\d+)k does: without it nothing is
// found there. What .* takes with it is not asked for, and digits are the number's whoever asks.
bool is_asked_for(std::string_view whole, std::string_view line, const std::string& name,
                  std::string_view group, const base::BoundedRegex& pattern) {
  const std::size_t begin = offset_of(whole, line), end = offset_of(group, line) + group.size();
  if (end < line.size() && end < begin + whole.size() && base::is_digit(line[end])) return false;
  const std::string without = std::string(line.substr(0, begin)) + std::string(group) +
                              std::string(line.substr(begin + whole.size()));
  const NamedMatch again = pattern.named_in(without);
  const auto found = again.groups.find(name);
  return found == again.groups.end() || found->second != group ||
         offset_of(found->second, without) != begin;
}

// The number with what belongs to it in the line; empty where it is whole.
std::string whole_of(std::string_view line, const std::string& name, std::string_view group,
                     const NamedMatch& found, const base::BoundedRegex& pattern) {
  const bool begins = group.data() == found.all.data();
  const bool ends = group.data() + group.size() == found.all.data() + found.all.size();
  const auto before = search::number_before(line.substr(0, offset_of(group, line)));
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
  const std::string_view whole = matched_whole(line, group, found);
  if (whole.empty() || is_asked_for(whole, line, name, group, pattern)) return {};
  return std::string(whole);
}

}  // namespace

std::string part_of_number(std::string_view line, const NamedMatch& found,
                           const base::BoundedRegex& pattern) {
  for (const auto& [name, group] : found.groups) {
    if (!is_number(group)) continue;
    const std::string whole = whole_of(line, name, group, found, pattern);
    if (whole.empty()) continue;
    return name + " is " + base::in_quotes(group) + " of " + base::in_quotes(whole) +
           ": have its group take all of the number, or the expression match what is beside it";
  }
  return {};
}

}  // namespace nightshift::problems
