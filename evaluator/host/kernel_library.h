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

// Whether a runtime that kernels brought along and that stays, of OpenMP or a BLAS, has other settings of
// its threads than when it came: the next kernel would run with them.
bool runtimes_have_changed();

}  // namespace nightshift::evaluator
