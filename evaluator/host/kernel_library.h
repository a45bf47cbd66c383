#pragma once

#include <cstdint>
#include <string>

namespace nightshift::evaluator {

// A loaded artifact. Unloaded by the destructor, but not what it depends on: the threads of an
// OpenMP or TBB runtime outlive the kernel that started them, and would run in unmapped code.
class KernelLibrary {
 public:
  explicit KernelLibrary(const std::string& path);  // throws std::runtime_error
  ~KernelLibrary();
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  // Calls the kernel `repetitions` times in a row. Turns whatever it throws into a
  // std::runtime_error of our own: its exceptions must not outlive its code.
  void call(void** arguments, std::uint64_t repetitions = 1) const;

 private:
  void* handle_ = nullptr;
  void (*entry_)(void**) = nullptr;
};

}  // namespace nightshift::evaluator
