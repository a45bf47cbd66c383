#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "ipc/progress.h"
#include "ipc/record.h"

namespace nightshift::ipc {

// Where things lie in the two memory files of a mailbox, and how a word there is accessed. Offsets
// in bytes; the sequence word and the progress area have a cache line of their own.
constexpr std::size_t kSequenceOffset = 0;
constexpr std::size_t kRequestRecordOffset = 64;
constexpr std::size_t kProgressOffset = 64;
constexpr std::size_t kNoteOffset = 128;
constexpr std::size_t kNoteBytes = 512;
constexpr std::size_t kResponseRecordOffset = kNoteOffset + kNoteBytes;

static_assert(std::atomic_ref<std::uint32_t>::is_always_lock_free &&
              std::atomic_ref<std::uint64_t>::is_always_lock_free);

inline std::atomic_ref<std::uint32_t> sequence_word(std::span<std::byte> region) {
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(region.data() + kSequenceOffset));
}

// Record first, then its number with release: who loads the number with acquire sees the record.
// False when the payload does not fit; then nothing has changed.
inline bool publish(std::span<std::byte> region, std::size_t offset, std::uint32_t number,
                    const RecordHeader& header, std::span<const std::byte> payload) {
  if (!write_record(region.subspan(offset), header, payload)) return false;
  sequence_word(region).store(number, std::memory_order_release);
  return true;
}

// The progress area: five words, written by the child, each meaningful alone.
class ProgressWords {
 public:
  explicit ProgressWords(std::span<std::byte> response)
      : base_(response.data() + kProgressOffset) {}

  void mark(search::Phase phase) const {
    word(0).store(static_cast<std::uint64_t>(phase), std::memory_order_relaxed);
    add_one(1, std::memory_order_release);
  }
  void beat(std::uint64_t detail) const {
    word(4).store(detail, std::memory_order_relaxed);
    add_one(2, std::memory_order_relaxed);
  }
  void take_up(std::uint64_t trial) const { word(3).store(trial, std::memory_order_relaxed); }

  Progress read() const {
    Progress p;
    p.phase_changes = word(1).load(std::memory_order_acquire);
    const std::uint64_t phase = word(0).load(std::memory_order_relaxed);
    if (phase <= static_cast<std::uint64_t>(search::Phase::kShutdown)) {
      p.phase = static_cast<search::Phase>(phase);
    }
    p.beat = word(2).load(std::memory_order_relaxed);
    p.trial = word(3).load(std::memory_order_relaxed);
    p.detail = word(4).load(std::memory_order_relaxed);
    return p;
  }

 private:
  std::atomic_ref<std::uint64_t> word(std::size_t i) const {
    return std::atomic_ref(reinterpret_cast<std::uint64_t*>(base_)[i]);
  }
  // There is one writer, so no locked instruction is needed.
  void add_one(std::size_t i, std::memory_order order) const {
    word(i).store(word(i).load(std::memory_order_relaxed) + 1, order);
  }

  std::byte* base_;
};

// A text of the child's for people, ended by a zero. It is read whenever the reader likes, so that
// parts of two texts may be found in it, and of a wild child anything.
class NoteText {
 public:
  explicit NoteText(std::span<std::byte> response)
      : text_(reinterpret_cast<char*>(response.data() + kNoteOffset)) {}

  // What does not fit is cut off.
  void write(std::string_view words) const {
    const std::size_t size = std::min(words.size(), kNoteBytes - 1);
    std::copy_n(words.data(), size, text_);
    text_[size] = '\0';
  }
  // Without control characters.
  std::string read() const {
    std::string words(text_, kNoteBytes);
    words.resize(std::min(words.find('\0'), kNoteBytes - 1));
    std::ranges::replace_if(
        words, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return words;
  }

 private:
  char* text_;
};

}  // namespace nightshift::ipc
