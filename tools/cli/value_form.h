#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/text.h"

namespace nightshift::tools {

// What the text of an option may be.
template <class T>
struct ValueForm {
  std::function<std::optional<T>(const std::string&)> parse;
  std::string expected;                 // ends "--seed x: expected ..."
  std::vector<std::string> words = {};  // of a choice, for a suggestion
};

template <class Integer>
ValueForm<Integer> whole_number(std::uint64_t least, std::uint64_t most, std::string expected) {
  return {[=](const std::string& text) -> std::optional<Integer> {
            const auto count = base::parse_count(text);
            if (!count || *count < least || *count > most) return std::nullopt;
            return static_cast<Integer>(*count);
          },
          std::move(expected)};
}

template <class Integer>
ValueForm<Integer> whole_number(std::uint64_t least, std::uint64_t most) {
  return whole_number<Integer>(
      least, most, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

template <class Integer>
ValueForm<Integer> whole_number() {
  return whole_number<Integer>(0, static_cast<std::uint64_t>(std::numeric_limits<Integer>::max()),
                               "a whole number");
}

// "3%" or "0.03", of [least, most].
inline ValueForm<double> share(double least, double most, std::string expected) {
  return {[=](const std::string& text) {
            std::optional<double> share = base::parse_percentage(text);
            if (!share) share = base::parse_number(text);
            return share && *share >= least && *share <= most ? share : std::nullopt;
          },
          std::move(expected)};
}

// A number above 0.
inline ValueForm<double> positive_number(double most, std::string expected) {
  return {[=](const std::string& text) {
            const auto number = base::parse_number(text);
            return number && *number > 0 && *number <= most ? number : std::nullopt;
          },
          std::move(expected)};
}

// A number from 0 to `most`.
inline ValueForm<double> number_to(double most, std::string expected) {
  return {[=](const std::string& text) {
            const auto number = base::parse_number(text);
            return number && *number >= 0 && *number <= most ? number : std::nullopt;
          },
          std::move(expected)};
}

template <class T>
ValueForm<T> one_of(const std::vector<std::pair<std::string, T>>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  return {[choices](const std::string& text) -> std::optional<T> {
            for (const auto& [word, value] : choices) {
              if (word == text) return value;
            }
            return std::nullopt;
          },
          base::list_of(words, "or"), words};
}

// One of the words as it stands.
inline ValueForm<std::string> one_of(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& word : words) choices.emplace_back(word, word);
  return one_of(choices);
}

// Checked elsewhere.
inline ValueForm<std::string> any_text() {
  return {[](const std::string& text) { return std::optional(text); }, "a text"};
}

}  // namespace nightshift::tools
