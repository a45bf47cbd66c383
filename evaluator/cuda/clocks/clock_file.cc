#include "evaluator/cuda/clocks/clock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace nightshift::evaluator::cuda {
namespace {

std::string content_of(int file) {
  std::array<char, 256> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

// The keeper of a run that was just killed needs this long to restore.
constexpr auto kPatience = std::chrono::seconds(3);
constexpr auto kBetweenAttempts = std::chrono::milliseconds(20);

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
  ipc::UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) {
    why = path + " cannot be written: " + std::strerror(errno);
    return std::nullopt;
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kBetweenAttempts);
      continue;
    }
    const std::optional<Line> line = line_of(content_of(file.get()));
    why = "another nightshift holds its clocks";
    if (line) why += " (process " + std::to_string(line->keeper) + ")";
    return std::nullopt;
  }
  return ClockFile(std::move(file));
}

std::optional<ClockUndo> ClockFile::left_over() const {
  const std::optional<Line> line = line_of(content_of(file_.get()));
  if (!line) return std::nullopt;
  return line->undo;
}

bool ClockFile::write(const ClockUndo& undo) {
  const std::string text =
      "nightshift-clocks 1 " + std::to_string(::getpid()) + " " + std::to_string(undo.sm ? 1 : 0) +
      " " + std::to_string(undo.memory ? 1 : 0) + " " + std::to_string(undo.power_mw) + "\n";
  return ::ftruncate(file_.get(), 0) == 0 &&
         ::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         ::fdatasync(file_.get()) == 0;
}

void ClockFile::clear() { (void)!::ftruncate(file_.get(), 0); }

}  // namespace nightshift::evaluator::cuda
