#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::search {

// One thing that figures depend on. Two with the same kind and name are the same thing at two
// times.
struct IdentityPart {
  enum class Kind : std::uint8_t {
    kSource,           // value: hash of a source with all that it may include
    kFile,             // hash of one of these files
    kProgram,          // hash of a program or script that is started
    kInput,            // hash of a file or folder that a build reads, or of a vector's numbers
    kRecording,        // hash of a recorded space
    kCompilerProgram,  // hash of the compiler's program
    kCompiler,         // words: its version
    kProcessor,        // words: model of the cores; name: the node
    kDriver,           // words: version of the GPU driver; name: the node
    kDeviceSetting,    // words; name: the node or the device, and what is set
    kSystem,           // words: release of the operating system's kernel; name: the node
    kDevice,           // words: its model; name: the device
  };
  Kind kind = Kind::kSource;
  std::string name;
  std::string value;
  friend bool operator==(const IdentityPart&, const IdentityPart&) = default;
};
inline constexpr std::size_t kIdentityKinds = 12;
std::string_view name_of(IdentityPart::Kind kind);  // "source", "compiler-program", ...; no blanks

// What a study is made of, as far as it is known.
using Identity = std::vector<IdentityPart>;

// "KIND NAME": what the journal calls it. nullopt of part_of(): no such text.
std::string key_of(const IdentityPart& part);
std::optional<IdentityPart> part_of(std::string_view key, std::string value);

// Of a kDeviceSetting, what is set on: the node, or one device of it ("NODE/UUID"); the whole name
// where it has no blank.
std::string subject_of(const IdentityPart& setting);
bool is_of_one_device(const IdentityPart& part);  // a setting of a device, not of its node

struct IdentityChange {
  std::string text;      // "the compiler c++ was g++ 12.2 and is g++ 13.1"
  bool matters = false;  // for figures: those from before do not count beside those from after
};
// What is in both and differs, those that matter first. What only one of them has is no change: on
// another node the machine has other names, a file may be there no more, and an earlier version may
// have known less. A source names files as the reason where their own hashes tell which.
std::vector<IdentityChange> changes_between(const Identity& before, const Identity& now);
// True where one of them does.
bool any_matters(const std::vector<IdentityChange>& changes);

}  // namespace nightshift::search
