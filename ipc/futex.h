#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace nightshift::ipc {

// Waits on a word that two processes share through different mappings (hence not FUTEX_PRIVATE, and
// not std::atomic::wait, whose futexes are private). The mapping may be read-only.
enum class FutexResult { kWoken, kTimeout };
// Returns at once when *word != expected. kWoken may be spurious; also after an interruption.
FutexResult futex_wait(const void* word, std::uint32_t expected, std::chrono::nanoseconds timeout);
void futex_wake(const void* word) noexcept;

}  // namespace nightshift::ipc
