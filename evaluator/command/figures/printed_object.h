#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::evaluator {

// The last JSON object that begins a line of `output` and ends one, over any number of lines; a
// discarded value where there is none. So the whole of an output that is one object is that one.
nlohmann::json last_object(std::string_view output);
// The last JSON list that does.
nlohmann::json last_list(std::string_view output);

// What `key` names in an object or a list: a member of that name, or a way down by members and
// positions from 0 with dots between them, "results.0.mean". At each step names that contain dots
// go first.
struct Found {
  // An object that the parent is in, itself or within lists, and the name of what it is in there.
  struct Above {
    const nlohmann::json* object;
    std::string_view name;
  };
  const nlohmann::json* value = nullptr;   // nullptr where there is none
  const nlohmann::json* parent = nullptr;  // the object that `value` is in, itself or within lists
  std::string_view last;                   // its name there, or that of the lists
  std::vector<Above> above = {};           // the nearest first
};
Found find_path(const nlohmann::json& object, std::string_view key);

// Why find_path finds nothing: how far it comes, and what is there. "'results.0' has 'command' and
// 'median', no 'mean'".
std::string missing_path(const nlohmann::json& object, std::string_view key);

// A line as some programs begin their output is that line without the mark.
std::string_view without_byte_order_mark(std::string_view line);

// Whether an object begins on it, whole or not.
bool begins_object(std::string_view line);

// The JSON object that `text` is, with null for NaN and Infinity; a discarded value
// (is_discarded()) where it is none.
nlohmann::json object_in(std::string_view text);

}  // namespace nightshift::evaluator
