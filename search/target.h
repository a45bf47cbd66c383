#pragma once

#include <cstdint>
#include <string_view>

namespace nightshift::search {

// Where a problem runs, whatever it is made of (Backend). What a study does with its devices, from
// finding them to trusting them, asks this and not the backend.
enum class Target : std::uint8_t {
  kCores,      // cores of the CPU; an evaluator and all that it starts are pinned to its device's
  kGpus,       // GPUs; an evaluator and all that it starts see one of them and are pinned nowhere
  kRecording,  // a recorded space, which is its own device and keeps simulated time
};

constexpr std::string_view name_of(Target target) {
  switch (target) {
    case Target::kCores:
      return "cores";
    case Target::kGpus:
      return "gpus";
    case Target::kRecording:
      return "recording";
  }
  return "unknown";
}

}  // namespace nightshift::search
