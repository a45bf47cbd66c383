#include "residue.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "ipc/process_table.h"

namespace nightshift::puzzles {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTagName = "NIGHTSHIFT_TEST_TAG";

std::set<int> children_now() {
  std::set<int> children;
  for (const pid_t pid : ipc::all_processes()) {
    if (ipc::parent_of(pid) == ::getpid()) children.insert(pid);
  }
  return children;
}

// The iterator's own descriptor is counted each time, and so cancels out.
int descriptors_now() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

std::set<std::string> shared_memory_now() {
  std::set<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator("/dev/shm", absent)) {
    if (entry.path().filename().string().find("nightshift") != std::string::npos) {
      names.insert(entry.path());
    }
  }
  return names;
}

bool carries(pid_t pid, const std::string& tag) {
  const std::string environment = std::string(1, '\0') + ipc::environment_of(pid);
  return environment.find(std::string(1, '\0') + tag + std::string(1, '\0')) != std::string::npos;
}

std::string command_line(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  return std::to_string(pid) + ": " + text;
}

}  // namespace

Residue::Residue()
    : children_(children_now()),
      descriptors_(descriptors_now()),
      shared_memory_(shared_memory_now()) {
  const std::string value = std::to_string(std::random_device{}()) + std::to_string(::getpid());
  ::setenv(kTagName, value.c_str(), 1);
  tag_ = std::string(kTagName) + "=" + value;
}

std::vector<std::string> Residue::processes() const {
  std::vector<std::string> left;
  for (const pid_t pid : ipc::all_processes()) {
    if (pid == ::getpid() || children_.contains(pid)) continue;
    if (carries(pid, tag_) || ipc::parent_of(pid) == ::getpid()) left.push_back(command_line(pid));
  }
  return left;
}

std::vector<std::string> Residue::processes_after_a_while() const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto look = [&] {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return processes();
  };
  std::vector<std::string> left = look();
  while (!left.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    left = look();
  }
  return left;
}

int Residue::extra_descriptors() const { return descriptors_now() - descriptors_; }

int Residue::memory_files() const {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("memfd:nightshift") != std::string::npos) ++count;
  }
  return count;
}

bool Residue::shared_memory_changed() const { return shared_memory_now() != shared_memory_; }

}  // namespace nightshift::puzzles
