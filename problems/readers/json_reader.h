#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "problems/readers/diagnostics.h"

namespace nightshift::problems {

// Where every value of a JSON text begins, by its pointer (/Name/0/Values). The JSON library gives
// no positions of what it has read. The text must be valid; values deeper than 32 levels and
// members whose names need an escape have no place.
class JsonLocations {
 public:
  explicit JsonLocations(std::string_view text);
  SourceLocation find(const std::string& pointer) const;  // unknown where there is no such value
  // The whole number there as it is written, where 64 bits do not hold it; else empty.
  std::string beyond_integers(const std::string& pointer) const;

 private:
  std::unordered_map<std::string, SourceLocation> locations_;
  std::unordered_map<std::string, std::string> beyond_;
};

// An object of a JSON file. Takes members with the type that they should have and notes what is
// wrong; members that nobody asks for are left alone, since T1 allows them.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& object, std::string pointer, const JsonLocations& locations,
             Diagnostics& diagnostics)
      : object_(&object),
        pointer_(std::move(pointer)),
        locations_(&locations),
        diagnostics_(&diagnostics) {}

  Diagnostics& diagnostics() const { return *diagnostics_; }
  SourceLocation location() const { return locations_->find(pointer_); }
  SourceLocation location_of(
      std::string_view key) const;  // of the value; of the object where absent
  void error(std::string_view key, const std::string& message) const;

  const nlohmann::json* find(std::string_view key) const;     // nullptr where absent or null
  const nlohmann::json* require(std::string_view key) const;  // notes where it is absent
  bool string(std::string_view key, std::string& target) const;
  std::optional<double> number(std::string_view key) const;
  std::vector<std::string> strings(std::string_view key) const;
  // Of the element of the list `key`: JsonLocations::beyond_integers.
  std::string beyond_integers(std::string_view key, std::size_t element) const;
  std::optional<JsonReader> object(std::string_view key) const;
  std::vector<JsonReader> objects(std::string_view key) const;

 private:
  std::string pointer_to(std::string_view key) const { return pointer_ + "/" + std::string(key); }

  const nlohmann::json* object_;
  std::string pointer_;
  const JsonLocations* locations_;
  Diagnostics* diagnostics_;
};

// "the text 'abc'", "5", "an object", ...
std::string describe(const nlohmann::json& json);

}  // namespace nightshift::problems
