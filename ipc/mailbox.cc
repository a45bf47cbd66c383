#include "ipc/mailbox.h"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

#include "ipc/futex.h"
#include "ipc/mailbox_slot.h"
#include "ipc/system_call.h"

namespace nightshift::ipc {

namespace {

std::uint32_t number_of(std::uint64_t sequence) { return static_cast<std::uint32_t>(sequence); }

// RWF_NOWAIT and not the descriptor's O_NONBLOCK, which the child shares and could clear.
void drain(int doorbell) noexcept {
  std::uint64_t rings = 0;
  iovec block{&rings, sizeof rings};
  (void)::preadv2(doorbell, &block, 1, -1, RWF_NOWAIT);
}

// Empty when `header` answers the outstanding request.
std::string mismatch(const RecordHeader& header, std::uint64_t epoch, std::uint64_t sequence,
                     std::uint64_t trial, std::uint32_t attempt) {
  const auto differs = [](const char* what, std::uint64_t got, std::uint64_t expected) {
    return std::string(what) + " " + std::to_string(got) + " instead of " +
           std::to_string(expected);
  };
  if (header.epoch != epoch) return "reply of another incarnation";
  if (header.sequence != sequence) return differs("reply to request", header.sequence, sequence);
  if (header.trial != trial) return differs("reply for trial", header.trial, trial);
  if (header.attempt != attempt) return differs("reply for attempt", header.attempt, attempt);
  return {};
}

}  // namespace

void expect_room_for_mailboxes() {
  constexpr rlim_t kNeeded = std::max(kRequestBytes, kResponseBytes);
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= kNeeded) return;
  throw std::system_error(EFBIG, std::generic_category(),
                          "a file may have " + std::to_string(limit.rlim_cur >> 10) +
                              " KiB here (`ulimit -f`), and what an evaluator shares takes " +
                              std::to_string(kNeeded >> 10) + " KiB");
}

ParentMailbox ParentMailbox::create(std::uint64_t epoch) {
  ParentMailbox box;
  box.epoch_ = epoch;
  box.request_fd_ = make_memory_file("nightshift-request", kRequestBytes);
  box.response_fd_ = make_memory_file("nightshift-response", kResponseBytes);
  box.doorbell_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!box.doorbell_) throw_errno("eventfd");
  box.request_ =
      SharedRegion::map(box.request_fd_.get(), kRequestBytes, SharedRegion::Access::kReadWrite);
  box.response_ =
      SharedRegion::map(box.response_fd_.get(), kResponseBytes, SharedRegion::Access::kReadOnly);
  // Without the seal a wild child could spoil only the request that it was sent itself.
  (void)seal_against_new_writers(box.request_fd_.get());
  return box;
}

bool ParentMailbox::post(std::uint32_t kind, std::uint64_t trial, std::uint32_t attempt,
                         std::span<const std::byte> payload) {
  if (outstanding_) std::abort();  // the caller's promise; no child can bring this about
  RecordHeader header;
  header.kind = kind;
  header.epoch = epoch_;
  header.sequence = sequence_ + 1;
  header.trial = trial;
  header.attempt = attempt;
  const auto region = request_.bytes();
  if (!publish(region, kRequestRecordOffset, number_of(header.sequence), header, payload)) {
    return false;
  }
  sequence_ = header.sequence;
  trial_ = trial;
  attempt_ = attempt;
  outstanding_ = true;
  futex_wake(region.data() + kSequenceOffset);
  return true;
}

// The child's word counts its replies. There is one per request, so it equals the number of the
// request when that is answered, and one less before.
std::uint32_t ParentMailbox::replies() const {
  return sequence_word(response_.bytes()).load(std::memory_order_acquire);
}

std::uint32_t ParentMailbox::replies_taken() const {
  return number_of(outstanding_ ? sequence_ - 1 : sequence_);
}

bool ParentMailbox::reply_pending() const { return replies() != replies_taken(); }

ParentMailbox::Taken ParentMailbox::take() {
  drain(doorbell_.get());
  const std::uint32_t count = replies();
  if (count == replies_taken()) return Nothing{};
  if (!outstanding_) return Corrupt{"a reply that nobody asked for"};
  if (count != number_of(sequence_)) return Corrupt{"more than one reply to one request"};

  auto read = read_record(response_.bytes().subspan(kResponseRecordOffset));
  if (auto* corrupt = std::get_if<CorruptRecord>(&read)) return Corrupt{std::move(corrupt->why)};
  auto& record = std::get<Record>(read);
  if (auto why = mismatch(record.header, epoch_, sequence_, trial_, attempt_); !why.empty()) {
    return Corrupt{std::move(why)};
  }
  outstanding_ = false;
  return std::move(record);
}

Progress ParentMailbox::progress() const { return ProgressWords(response_.bytes()).read(); }

std::string ParentMailbox::note() const { return NoteText(response_.bytes()).read(); }

ChildMailbox ChildMailbox::open(UniqueFd request, UniqueFd response, UniqueFd doorbell,
                                std::uint64_t epoch) {
  ChildMailbox box;
  box.epoch_ = epoch;
  box.doorbell_ = std::move(doorbell);
  box.request_ = SharedRegion::map(request.get(), kRequestBytes, SharedRegion::Access::kReadOnly);
  box.response_ =
      SharedRegion::map(response.get(), kResponseBytes, SharedRegion::Access::kReadWrite);
  return box;
}

std::optional<Record> ChildMailbox::wait(std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const auto region = request_.bytes();
  const auto word = sequence_word(region);
  const auto deadline = Clock::now() + timeout;
  while (word.load(std::memory_order_acquire) == seen_) {
    const auto left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) return std::nullopt;
    (void)futex_wait(region.data() + kSequenceOffset, seen_, left);
  }
  seen_ = word.load(std::memory_order_acquire);
  auto read = read_record(region.subspan(kRequestRecordOffset));
  auto* record = std::get_if<Record>(&read);
  if (record == nullptr || record->header.epoch != epoch_) {
    throw std::runtime_error("the request in the mailbox is damaged");
  }
  current_ = record->header;
  note({});
  ProgressWords(response_.bytes()).take_up(current_.trial);
  return std::move(*record);
}

bool ChildMailbox::reply(std::uint32_t kind, std::span<const std::byte> payload) noexcept {
  RecordHeader header = current_;
  header.kind = kind;
  const auto region = response_.bytes();
  const std::uint32_t replies = sequence_word(region).load(std::memory_order_relaxed);
  if (!publish(region, kResponseRecordOffset, replies + 1, header, payload)) return false;
  ProgressWords(region).take_up(0);
  note({});
  ring();
  return true;
}

void ChildMailbox::mark(search::Phase phase) noexcept {
  ProgressWords(response_.bytes()).mark(phase);
  ring();
}

void ChildMailbox::beat(std::uint64_t detail) noexcept {
  ProgressWords(response_.bytes()).beat(detail);
}

void ChildMailbox::note(std::string_view words) noexcept {
  NoteText(response_.bytes()).write(words);
}

void ChildMailbox::ring() noexcept {
  const std::uint64_t one = 1;
  (void)retry_interrupted([&] { return ::write(doorbell_.get(), &one, sizeof one); });
}

}  // namespace nightshift::ipc
