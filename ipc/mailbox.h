#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "ipc/progress.h"
#include "ipc/record.h"
#include "ipc/shared_region.h"
#include "ipc/unique_fd.h"
#include "search/trial.h"

namespace nightshift::ipc {

// The channel between the parent and one incarnation of an evaluator.
//
//   Two anonymous memory files, made for one incarnation and never used again:
//     request   written by the parent only (sealed against writing by anyone who maps it later)
//     response  written by the evaluator only; the parent maps it read-only
//   Request:   u32 sequence word, then one record.
//   Response:  u32 sequence word, progress area (phase, heartbeat, breadcrumb), note, one record.
//   post:      record bytes, then sequence.store(release), then FUTEX_WAKE on the request word.
//   reply:     record bytes, then sequence.store(release), then 8 bytes to the eventfd.
//   The words count: that of the request how many were posted, that of the response the replies.
//   take:      sequence.load(acquire); copy; validate; epoch, sequence, trial and attempt must be
//              those of the outstanding request. Anything else is kCorrupt: the evaluator is not to
//              be trusted.
//   At most one request is outstanding.
//
// There is no lock, so no dead process can hold one, and no name, so nothing is left behind. A
// process-shared condition variable or Boost.Interprocess message_queue deadlocks its survivor when
// its peer is killed while waiting (glibc 2.36 waits for every member of the old waiter group),
// also with robust mutexes; std::atomic::wait uses private futexes and never wakes across
// processes. Hence futex and eventfd.

constexpr std::size_t kRequestBytes = std::size_t{16} << 20;   // sparse
constexpr std::size_t kResponseBytes = std::size_t{16} << 20;  // sparse

// Throws std::system_error (EFBIG), which names the limit, where files may not be as large as that.
void expect_room_for_mailboxes();

class ParentMailbox {
 public:
  // Throws std::system_error naming the call that failed.
  static ParentMailbox create(std::uint64_t epoch);

  std::uint64_t epoch() const { return epoch_; }
  int request_fd() const { return request_fd_.get(); }    // to be passed to the child
  int response_fd() const { return response_fd_.get(); }  // to be passed to the child
  int doorbell_fd() const { return doorbell_.get(); }     // eventfd; to be passed, and to be polled

  // False when the payload does not fit. No request may be outstanding.
  bool post(std::uint32_t kind, std::uint64_t trial, std::uint32_t attempt,
            std::span<const std::byte> payload);

  struct Nothing {};
  struct Corrupt {
    std::string why;
  };
  using Taken = std::variant<Nothing, Record, Corrupt>;
  // The reply to the outstanding request, if there is one. After the first Record there is Nothing
  // until the next post; a reply that nobody asked for is Corrupt. Clears the doorbell.
  Taken take();

  // Whether take() would say more than Nothing. A reply that stays pending although the child had
  // time to ring means that its doorbell is lost: a kernel in its process has closed or overwritten
  // the descriptor. The reply itself is as good as any.
  bool reply_pending() const;

  bool outstanding() const { return outstanding_; }
  Progress progress() const;
  // What the child has noted last about the request in hand; of a child that lies, anything.
  std::string note() const;

 private:
  ParentMailbox() = default;
  std::uint32_t replies() const;
  std::uint32_t replies_taken() const;

  std::uint64_t epoch_ = 0;
  UniqueFd request_fd_, response_fd_, doorbell_;
  SharedRegion request_, response_;
  std::uint64_t sequence_ = 0;
  std::uint64_t trial_ = 0;
  std::uint32_t attempt_ = 0;
  bool outstanding_ = false;
};

class ChildMailbox {
 public:
  // Maps the three descriptors inherited from the parent. Throws std::system_error.
  static ChildMailbox open(UniqueFd request, UniqueFd response, UniqueFd doorbell,
                           std::uint64_t epoch);

  // The next request, or nullopt after `timeout` (the caller then checks that its parent lives).
  // Throws std::runtime_error when the request is damaged or of another epoch.
  std::optional<Record> wait(std::chrono::milliseconds timeout);
  // Answers the request taken last. Too large a payload is answered by false, and nothing is sent.
  bool reply(std::uint32_t kind, std::span<const std::byte> payload) noexcept;

  void mark(search::Phase phase) noexcept;  // also rings, so that the parent restarts its deadline
  void beat(std::uint64_t detail = 0) noexcept;
  // Words for people about the request in hand, in the place of those before. They are read where
  // this process can say no more; the reply, and the next request, have none.
  void note(std::string_view words) noexcept;

 private:
  friend struct RawMailbox;  // of tests/fakes: for children that misbehave on purpose

  ChildMailbox() = default;
  void ring() noexcept;

  std::uint64_t epoch_ = 0;
  UniqueFd doorbell_;
  SharedRegion request_, response_;
  std::uint32_t seen_ = 0;
  RecordHeader current_{};
};

}  // namespace nightshift::ipc
