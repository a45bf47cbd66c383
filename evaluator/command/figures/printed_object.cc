#include "evaluator/command/figures/printed_object.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/strict_json.h"

namespace nightshift::evaluator {
namespace {

using nlohmann::json;

constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kShownMembers = 8;

std::size_t line_end(std::string_view text, std::size_t from) {
  return std::min(text.find('\n', from), text.size());
}

// Where the object or list ends that begins in `text`: behind its closing bracket. Looks at no more
// than `budget` bytes, which it takes off. nullopt where it does not end, or text follows on its
// line.
std::optional<std::size_t> value_end(std::string_view text, std::size_t& budget) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && budget > 0; ++i, --budget) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"' && c != '\n';  // no text of JSON goes over a line
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') ++depth;
    if (c != '}' && c != ']') continue;
    if (depth > 1) {
      --depth;
      continue;
    }
    const std::string_view rest = text.substr(i + 1, line_end(text, i + 1) - i - 1);
    const bool alone = rest.find_first_not_of(" \t\r") == std::string_view::npos;
    return alone && depth == 1 ? std::optional(i + 1) : std::nullopt;
  }
  return std::nullopt;
}

// What a value begins with: an object or a list.
bool begins_with(std::string_view line, char bracket) {
  line = without_byte_order_mark(line);
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first != std::string_view::npos && line[first] == bracket;
}

// The value that `text` is, with null for NaN and Infinity; discarded where it is none.
json value_in(std::string_view text, char bracket) {
  text = without_byte_order_mark(text);
  if (!begins_with(text, bracket)) return json(json::value_t::discarded);
  json parsed = json::parse(text.begin(), text.end(), nullptr, false);
  if (parsed.is_discarded()) {
    const std::string strict = base::strict_json(text);
    parsed = json::parse(strict.begin(), strict.end(), nullptr, false);
  }
  // Moved, not copied: copying recurses, and a reply may be nested as deep as it is long.
  if (!parsed.is_structured()) parsed = json(json::value_t::discarded);
  return parsed;
}

json last_line_value(std::string_view output, char bracket) {
  while (!output.empty()) {
    const std::size_t end = output.rfind('\n');
    const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
    json value = value_in(output.substr(begin), bracket);
    if (!value.is_discarded()) return value;
    output = output.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return json(json::value_t::discarded);
}

// The stretches of `output` that may be such values, in order, none within another.
std::vector<std::string_view> candidates(std::string_view output, char bracket) {
  constexpr std::size_t kTimes = 16;  // bounds what braces that never close cost
  std::size_t budget = kTimes * output.size();
  std::vector<std::string_view> found;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = line_end(output, begin);
    std::size_t next = end + 1;
    if (begins_with(output.substr(begin, end - begin), bracket)) {
      if (const auto length = value_end(output.substr(begin), budget)) {
        found.push_back(output.substr(begin, *length));
        next = line_end(output, begin + *length) + 1;
      }
    }
    begin = next;
  }
  return found;
}

const json* child_of(const json& parent, std::string_view name) {
  if (parent.is_object()) {
    const auto member = parent.find(name);
    return member == parent.end() ? nullptr : &*member;
  }
  if (!parent.is_array()) return nullptr;
  std::size_t position = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data(), last, position);
  const bool whole = error == std::errc{} && end == last;
  return whole && position < parent.size() ? &parent[position] : nullptr;
}

// The way to what the key names, or as far as it comes: names and what they name.
struct Way {
  std::vector<std::pair<std::string_view, const json*>> steps;
  std::string_view left;
};

// Each way is another place of `node`, so that no more are tried than it has.
bool walk(const json& node, std::string_view key, Way& way, Way& farthest) {
  if (way.steps.size() == kMostSteps) return false;
  for (std::size_t length = key.size(); length != std::string_view::npos && length > 0;
       length = key.rfind('.', length - 1)) {
    const json* const child = child_of(node, key.substr(0, length));
    if (child == nullptr) continue;
    way.steps.emplace_back(key.substr(0, length), child);
    if (length == key.size()) return true;
    way.left = key.substr(length + 1);
    if (way.steps.size() > farthest.steps.size()) farthest = way;
    if (walk(*child, way.left, way, farthest)) return true;
    way.steps.pop_back();
  }
  return false;
}

std::string members_of(const json& node) {
  if (node.is_array()) {
    return "is a list of " + std::to_string(node.size()) +
           (node.empty() ? "" : ", with positions from 0 to " + std::to_string(node.size() - 1));
  }
  if (!node.is_object()) return "is " + std::string(node.type_name());
  std::string names;
  std::size_t count = 0;
  for (const auto& [name, value] : node.items()) {
    if (count == kShownMembers) break;
    names += (count++ == 0 ? "'" : ", '") + name + "'";
  }
  if (count == 0) return "is empty";
  return "has " + names + (node.size() > count ? ", ..." : "");
}

json last_value(std::string_view output, char bracket) {
  const std::vector<std::string_view> found = candidates(output, bracket);
  std::size_t end = output.size();
  for (std::size_t i = found.size(); i-- > 0;) {
    const auto begin = static_cast<std::size_t>(found[i].data() - output.data());
    // Brackets that are no value may have hidden one that is a line.
    const std::size_t behind = begin + found[i].size();
    json value = last_line_value(output.substr(behind, end - behind), bracket);
    if (value.is_discarded()) value = value_in(found[i], bracket);
    if (value.is_discarded()) value = last_line_value(found[i], bracket);
    if (!value.is_discarded()) return value;
    end = begin;
  }
  return last_line_value(output.substr(0, end), bracket);
}

}  // namespace

json last_object(std::string_view output) { return last_value(output, '{'); }
json last_list(std::string_view output) { return last_value(output, '['); }

Found find_path(const json& object, std::string_view key) {
  Way way, farthest;
  if (!walk(object, key, way, farthest)) return {};
  std::size_t at = way.steps.size() - 1;
  while (at > 0 && way.steps[at - 1].second->is_array()) --at;
  const auto holder = [&](std::size_t step) {
    return step > 0 ? way.steps[step - 1].second : &object;
  };
  Found found{way.steps.back().second, holder(at), way.steps[at].first};
  for (std::size_t step = at; step-- > 0;) {
    if (holder(step)->is_object()) found.above.push_back({holder(step), way.steps[step].first});
  }
  return found;
}

std::string missing_path(const json& object, std::string_view key) {
  Way way, farthest;
  walk(object, key, way, farthest);
  if (farthest.steps.empty()) {
    return "the JSON object has no '" + std::string(key) + "': it " + members_of(object);
  }
  const std::string_view come = key.substr(0, key.size() - farthest.left.size() - 1);
  return "the JSON object has no '" + std::string(key) + "': '" + std::string(come) + "' " +
         members_of(*farthest.steps.back().second);
}

std::string_view without_byte_order_mark(std::string_view line) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (line.starts_with(kMark)) line.remove_prefix(kMark.size());
  return line;
}

bool begins_object(std::string_view line) { return begins_with(line, '{'); }

json object_in(std::string_view text) { return value_in(text, '{'); }

}  // namespace nightshift::evaluator
