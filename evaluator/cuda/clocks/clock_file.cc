#include "evaluator/cuda/clocks/clock_file.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>
#include <variant>

namespace nightshift::evaluator::cuda {
namespace {

// The keeper of a run that was just killed needs this long to restore.
constexpr auto kPatience = std::chrono::seconds(3);

struct Line {
  int keeper = 0;
  ClockUndo undo;
};
std::optional<Line> line_of(const std::string& text) {
  if (text.empty() || text.back() != '\n') return std::nullopt;
  Line line;
  int version = 0, sm = 0, memory = 0;
  if (std::sscanf(text.c_str(), "nightshift-clocks %d %d %d %d %u", &version, &line.keeper, &sm,
                  &memory, &line.undo.power_mw) != 5 ||
      version != 1) {
    return std::nullopt;
  }
  line.undo.sm = sm != 0;
  line.undo.memory = memory != 0;
  return line;
}

}  // namespace

std::optional<ClockFile> ClockFile::open(const std::string& folder, const std::string& uuid,
                                         std::string& why) {
  const std::string path = folder + "/clocks-" + uuid;
  auto result = ipc::FileLock::take(path, {.patience = kPatience});
  if (auto* lock = std::get_if<ipc::FileLock>(&result)) return ClockFile(std::move(*lock));
  const auto& refused = std::get<ipc::FileLock::Refused>(result);
  if (refused.obstacle != ipc::FileLock::Obstacle::kHeld) {
    why = path + " cannot be written: " + std::strerror(refused.error);
    return std::nullopt;
  }
  why = "another nightshift holds its clocks";
  if (const auto line = line_of(refused.text)) {
    why += " (process " + std::to_string(line->keeper) + ")";
  }
  return std::nullopt;
}

std::optional<ClockUndo> ClockFile::left_over() const {
  const std::optional<Line> line = line_of(lock_.text());
  if (!line) return std::nullopt;
  return line->undo;
}

bool ClockFile::write(const ClockUndo& undo) {
  const std::string text =
      "nightshift-clocks 1 " + std::to_string(::getpid()) + " " + std::to_string(undo.sm ? 1 : 0) +
      " " + std::to_string(undo.memory ? 1 : 0) + " " + std::to_string(undo.power_mw) + "\n";
  return lock_.write(text);
}

void ClockFile::clear() { (void)lock_.write(""); }

}  // namespace nightshift::evaluator::cuda
