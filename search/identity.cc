#include "search/identity.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nightshift::search {
namespace {

using Kind = IdentityPart::Kind;
using Values = std::map<std::pair<Kind, std::string>, std::string>;

constexpr std::array<std::string_view, kIdentityKinds> kNames = {
    "source",   "file",      "program", "input",          "recording", "compiler-program",
    "compiler", "processor", "driver",  "device-setting", "system",    "device"};

Values values_of(const Identity& identity) {
  Values values;
  for (const IdentityPart& part : identity) values[{part.kind, part.name}] = part.value;
  return values;
}

// What the name is a name of.
std::string subject(Kind kind, const std::string& name) {
  switch (kind) {
    case Kind::kProgram:
      return "the program " + name;
    case Kind::kRecording:
      return "the recording " + name;
    case Kind::kCompilerProgram:
      return "the program of the compiler " + name;
    case Kind::kCompiler:
      return "the compiler " + name;
    case Kind::kProcessor:
      return "the processor of " + name;
    case Kind::kDriver:
      return "the GPU driver of " + name;
    case Kind::kSystem:
      return "the operating system of " + name;
    case Kind::kDevice:
      return "the device " + name;
    case Kind::kSource:
      return "what " + name + " includes";
    case Kind::kFile:
    case Kind::kInput:
    case Kind::kDeviceSetting:
      break;
  }
  return name;
}

// A hash says nothing to people.
bool is_words(Kind kind) { return kind >= Kind::kCompiler; }

}  // namespace

std::string_view name_of(IdentityPart::Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::string key_of(const IdentityPart& part) {
  return std::string(name_of(part.kind)) + " " + part.name;
}

std::optional<IdentityPart> part_of(std::string_view key, std::string value) {
  const std::size_t blank = key.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto found = std::ranges::find(kNames, key.substr(0, blank));
  if (found == kNames.end()) return std::nullopt;
  return IdentityPart{static_cast<Kind>(found - kNames.begin()), std::string(key.substr(blank + 1)),
                      std::move(value)};
}

std::string subject_of(const IdentityPart& setting) {
  return setting.name.substr(0, setting.name.find(' '));
}

bool is_of_one_device(const IdentityPart& part) {
  return part.kind == Kind::kDeviceSetting && subject_of(part).find('/') != std::string::npos;
}

std::vector<IdentityChange> changes_between(const Identity& before, const Identity& now) {
  const Values old_values = values_of(before);
  std::vector<IdentityPart> changed;
  for (const auto& [key, value] : values_of(now)) {
    const auto old = old_values.find(key);
    if (old != old_values.end() && old->second != value) {
      changed.push_back({key.first, key.second, value});
    }
  }
  const bool any_file =
      std::ranges::find(changed, Kind::kFile, &IdentityPart::kind) != changed.end();
  std::vector<IdentityChange> changes;
  for (const auto& [kind, name, value] : changed) {
    if (kind == Kind::kSource && any_file) continue;
    const std::string how = is_words(kind)
                                ? " was " + old_values.at({kind, name}) + " and is " + value
                                : " has changed";
    changes.push_back({subject(kind, name) + how, kind != Kind::kSystem});
  }
  return changes;
}

bool any_matters(const std::vector<IdentityChange>& changes) {
  return std::ranges::any_of(changes, &IdentityChange::matters);
}

}  // namespace nightshift::search
