// A child that writes anything at all into its response, at any time. Input: a list of steps, each
// one byte of operation and its operands. The parent's view must stay: at most one record a
// request, and only one that answers it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include <fcntl.h>

#include "ipc/mailbox.h"
#include "ipc/mailbox_slot.h"
#include "tests/fakes/raw_mailbox.h"

namespace {

using namespace nightshift;

constexpr std::uint64_t kEpoch = 42;

ipc::UniqueFd copy_of(int fd) { return ipc::UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

class Steps {
 public:
  explicit Steps(std::span<const std::uint8_t> left) : left_(left) {}
  bool done() const { return left_.empty(); }
  std::uint8_t byte() { return done() ? std::uint8_t{0} : take(1)[0]; }
  std::size_t offset() { return byte() * std::size_t{256} + byte(); }
  std::span<const std::uint8_t> take(std::size_t n) {
    const auto taken = left_.first(std::min(n, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }

 private:
  std::span<const std::uint8_t> left_;
};

void check(bool holds) {
  if (!holds) std::abort();
}

void take(ipc::ParentMailbox& parent, std::uint64_t trial) {
  const bool outstanding = parent.outstanding();
  const auto taken = parent.take();
  if (const auto* record = std::get_if<ipc::Record>(&taken)) {
    check(outstanding && !parent.outstanding());
    check(record->header.epoch == kEpoch && record->header.trial == trial);
    check(record->payload.size() == record->header.length);
  }
  check(parent.progress().phase <= search::Phase::kShutdown);
  check(parent.note().size() < ipc::kNoteBytes && parent.note().find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto parent = ipc::ParentMailbox::create(kEpoch);
  auto child = ipc::ChildMailbox::open(copy_of(parent.request_fd()), copy_of(parent.response_fd()),
                                       copy_of(parent.doorbell_fd()), kEpoch);
  Steps steps({data, size});
  std::uint64_t trial = 0;
  while (!steps.done()) {
    switch (steps.byte() % 7) {
      case 0:
        if (!parent.outstanding()) {
          check(parent.post(3, ++trial, 1, std::as_bytes(steps.take(steps.byte()))));
        }
        break;
      case 1:
        (void)child.wait(std::chrono::milliseconds{0});
        break;
      case 2:
        (void)child.reply(19, std::as_bytes(steps.take(steps.byte())));
        break;
      case 3:
        child.mark(static_cast<search::Phase>(steps.byte()));
        break;
      case 4: {
        const std::size_t at = steps.offset();
        const auto bytes = steps.take(steps.byte());
        if (!bytes.empty())
          std::memcpy(ipc::RawMailbox::response(child).data() + at, bytes.data(), bytes.size());
        break;
      }
      case 5:
        ipc::RawMailbox::ring(child);
        break;
      default:
        take(parent, trial);
        break;
    }
  }
  take(parent, trial);
  return 0;
}
