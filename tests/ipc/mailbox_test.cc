#include "ipc/mailbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "ipc/mailbox_slot.h"
#include "tests/fakes/raw_mailbox.h"

namespace nightshift::ipc {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::uint64_t kEpoch = 0xfeedface12345678;

UniqueFd copy_of(int fd) { return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

ChildMailbox child_of(const ParentMailbox& parent, std::uint64_t epoch = kEpoch) {
  return ChildMailbox::open(copy_of(parent.request_fd()), copy_of(parent.response_fd()),
                            copy_of(parent.doorbell_fd()), epoch);
}

std::vector<std::byte> payload_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

bool rung(const ParentMailbox& box) {
  pollfd p{box.doorbell_fd(), POLLIN, 0};
  return ::poll(&p, 1, 0) == 1;
}

bool is_nothing(const ParentMailbox::Taken& taken) {
  return std::holds_alternative<ParentMailbox::Nothing>(taken);
}

// Empty when it is not corrupt.
std::string corruption(const ParentMailbox::Taken& taken) {
  const auto* corrupt = std::get_if<ParentMailbox::Corrupt>(&taken);
  return corrupt == nullptr ? "" : corrupt->why;
}

off_t resident_bytes(int fd) {
  struct stat status {};
  EXPECT_EQ(::fstat(fd, &status), 0);
  return status.st_blocks * 512;
}

// Parent and child in one thread: every step of the protocol in a known order.
class Mailbox : public testing::Test {
 protected:
  // A response as a child would write it that does not keep to the protocol.
  void forge(const RecordHeader& header, std::uint32_t replies,
             const std::vector<std::byte>& payload = {}) {
    ASSERT_TRUE(
        publish(RawMailbox::response(child_), kResponseRecordOffset, replies, header, payload));
    RawMailbox::ring(child_);
  }
  // Posts trial 5, attempt 1 and takes it up; what a good reply's header says.
  RecordHeader outstanding_request() {
    EXPECT_TRUE(parent_.post(3, 5, 1, {}));
    const auto request = child_.wait(0ms);
    EXPECT_TRUE(request);
    return request ? request->header : RecordHeader{};
  }

  ParentMailbox parent_ = ParentMailbox::create(kEpoch);
  ChildMailbox child_ = child_of(parent_);
};

TEST_F(Mailbox, CarriesARequestAndItsReply) {
  EXPECT_TRUE(parent_.post(3, 17, 2, payload_of("question")));
  EXPECT_TRUE(parent_.outstanding());
  const auto request = child_.wait(0ms);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->header.kind, 3u);
  EXPECT_EQ(request->header.trial, 17u);
  EXPECT_EQ(request->header.attempt, 2u);
  EXPECT_EQ(request->payload, payload_of("question"));

  EXPECT_TRUE(is_nothing(parent_.take()));
  EXPECT_TRUE(child_.reply(19, payload_of("answer")));
  EXPECT_TRUE(rung(parent_));
  auto taken = parent_.take();
  const auto* record = std::get_if<Record>(&taken);
  ASSERT_NE(record, nullptr) << corruption(taken);
  EXPECT_EQ(record->header.kind, 19u);
  EXPECT_EQ(record->payload, payload_of("answer"));
  EXPECT_FALSE(parent_.outstanding());
  EXPECT_FALSE(rung(parent_));
  EXPECT_TRUE(is_nothing(parent_.take()));
}

TEST_F(Mailbox, GivesEachRequestOnce) {
  (void)outstanding_request();
  EXPECT_FALSE(child_.wait(0ms));
}

TEST_F(Mailbox, GivesARequestThatWasPostedBeforeTheChildOpened) {
  EXPECT_TRUE(parent_.post(1, 2, 3, payload_of("early")));
  ChildMailbox late = child_of(parent_);
  const auto request = late.wait(0ms);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->payload, payload_of("early"));
}

TEST_F(Mailbox, RefusesAPayloadThatDoesNotFitAndStaysUsable) {
  const std::vector<std::byte> large(kRequestBytes);
  EXPECT_FALSE(parent_.post(1, 1, 1, large));
  EXPECT_FALSE(parent_.outstanding());
  EXPECT_FALSE(child_.wait(0ms));

  (void)outstanding_request();
  EXPECT_FALSE(child_.reply(1, large));
  EXPECT_TRUE(is_nothing(parent_.take()));
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_TRUE(std::holds_alternative<Record>(parent_.take()));
}

TEST_F(Mailbox, CarriesAsMuchAsFits) {
  const std::vector<std::byte> large(kRequestBytes - kRequestRecordOffset - sizeof(RecordHeader),
                                     std::byte{7});
  EXPECT_TRUE(parent_.post(1, 1, 1, large));
  const auto request = child_.wait(0ms);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->payload, large);
}

TEST_F(Mailbox, TouchesOnlyThePagesOfWhatItCarries) {
  (void)outstanding_request();
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_TRUE(std::holds_alternative<Record>(parent_.take()));
  const auto page = ::sysconf(_SC_PAGESIZE);
  EXPECT_EQ(resident_bytes(parent_.request_fd()), page);
  EXPECT_EQ(resident_bytes(parent_.response_fd()), page);
}

// --- What a child may do wrong ---

TEST_F(Mailbox, CallsAReplyOfAnotherIncarnationCorrupt) {
  RecordHeader header = outstanding_request();
  header.epoch ^= 1;
  forge(header, 1);
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("incarnation"));
}

TEST_F(Mailbox, CallsAReplyToAnotherRequestCorrupt) {
  RecordHeader header = outstanding_request();
  header.sequence = 4;
  forge(header, 1);
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("reply to request 4 instead of 1"));
}

TEST_F(Mailbox, CallsAReplyForAnotherTrialCorrupt) {
  RecordHeader header = outstanding_request();
  header.trial = 6;
  forge(header, 1);
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("reply for trial 6 instead of 5"));
}

TEST_F(Mailbox, CallsAReplyForAnotherAttemptCorrupt) {
  RecordHeader header = outstanding_request();
  header.attempt = 0;
  forge(header, 1);
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("reply for attempt 0 instead of 1"));
}

TEST_F(Mailbox, CallsABadChecksumCorrupt) {
  forge(outstanding_request(), 1, payload_of("good"));
  RawMailbox::response(child_)[kResponseRecordOffset + sizeof(RecordHeader)] ^= std::byte{1};
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("checksum"));
}

TEST_F(Mailbox, CallsAnImpossibleLengthCorrupt) {
  forge(outstanding_request(), 1);
  const std::uint64_t length = kResponseBytes;
  std::memcpy(
      RawMailbox::response(child_).data() + kResponseRecordOffset + offsetof(RecordHeader, length),
      &length, sizeof length);
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("length"));
}

TEST_F(Mailbox, CallsHalfAReplyCorrupt) {
  RecordHeader header = outstanding_request();
  const auto payload = payload_of(std::string(500, 'x'));
  std::vector<std::byte> whole(sizeof header + payload.size());
  ASSERT_TRUE(write_record(whole, header, payload));
  std::memcpy(RawMailbox::response(child_).data() + kResponseRecordOffset, whole.data(),
              whole.size() / 2);
  sequence_word(RawMailbox::response(child_)).store(1, std::memory_order_release);
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("checksum"));
}

TEST_F(Mailbox, CallsTwoRepliesCorruptWhenBothArePresent) {
  (void)outstanding_request();
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("more than one"));
}

TEST_F(Mailbox, CallsASecondReplyCorruptAfterTheFirstWasTaken) {
  (void)outstanding_request();
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_TRUE(std::holds_alternative<Record>(parent_.take()));
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("nobody asked"));
}

TEST_F(Mailbox, CallsALateSecondReplyCorruptThatMeetsTheNextRequest) {
  (void)outstanding_request();
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_TRUE(std::holds_alternative<Record>(parent_.take()));
  EXPECT_TRUE(parent_.post(3, 6, 1, {}));
  EXPECT_TRUE(child_.reply(1, {}));  // still to the first
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("reply to request 1 instead of 2"));
}

TEST_F(Mailbox, CallsAReplyBeforeAnyRequestCorrupt) {
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_THAT(corruption(parent_.take()), HasSubstr("nobody asked"));
}

TEST_F(Mailbox, CallsScribblingCorrupt) {
  (void)outstanding_request();
  for (std::byte& b : RawMailbox::response(child_).first(4096)) b = std::byte{0xff};
  EXPECT_NE(corruption(parent_.take()), "");
  (void)parent_.progress();
}

TEST_F(Mailbox, TakesRingsForHintsOnly) {
  (void)outstanding_request();
  for (int i = 0; i < 100; ++i) RawMailbox::ring(child_);
  EXPECT_TRUE(rung(parent_));
  EXPECT_TRUE(is_nothing(parent_.take()));
  EXPECT_FALSE(rung(parent_));
}

TEST_F(Mailbox, ShowsAReplyWithoutItsRing) {
  EXPECT_FALSE(parent_.reply_pending());
  ASSERT_TRUE(parent_.post(1, 7, 1, {}));
  EXPECT_FALSE(parent_.reply_pending());
  ChildMailbox child = ChildMailbox::open(copy_of(parent_.request_fd()),
                                          copy_of(parent_.response_fd()), UniqueFd(), kEpoch);
  ASSERT_TRUE(child.wait(0ms));
  ASSERT_TRUE(child.reply(2, {}));
  EXPECT_FALSE(rung(parent_));
  EXPECT_TRUE(parent_.reply_pending());
  EXPECT_TRUE(std::holds_alternative<Record>(parent_.take()));
  EXPECT_FALSE(parent_.reply_pending());
}

TEST_F(Mailbox, DoesNotBlockWhenTheChildMadeTheDoorbellBlocking) {
  const int flags = ::fcntl(parent_.doorbell_fd(), F_GETFL);
  ASSERT_EQ(::fcntl(parent_.doorbell_fd(), F_SETFL, flags & ~O_NONBLOCK), 0);
  EXPECT_TRUE(is_nothing(parent_.take()));
}

TEST_F(Mailbox, GivesTheChildNoWayToWriteTheRequest) {
  EXPECT_EQ(::pwrite(parent_.request_fd(), "x", 1, 0), -1);
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, parent_.request_fd(), 0),
            MAP_FAILED);
  EXPECT_EQ(::ftruncate(parent_.response_fd(), 0), -1);
}

TEST_F(Mailbox, RefusesAChildOfAnotherIncarnation) {
  ChildMailbox stranger = child_of(parent_, kEpoch + 1);
  EXPECT_TRUE(parent_.post(1, 1, 1, {}));
  EXPECT_THROW((void)stranger.wait(0ms), std::runtime_error);
}

// --- Progress ---

TEST_F(Mailbox, ShowsWhereTheChildIs) {
  EXPECT_EQ(parent_.progress().phase, search::Phase::kBoot);
  EXPECT_EQ(parent_.progress().phase_changes, 0u);
  child_.mark(search::Phase::kReady);
  EXPECT_TRUE(rung(parent_));
  EXPECT_EQ(parent_.progress().phase, search::Phase::kReady);
  (void)outstanding_request();
  EXPECT_EQ(parent_.progress().trial, 5u);
  child_.mark(search::Phase::kMeasure);
  child_.mark(search::Phase::kMeasure);
  EXPECT_EQ(parent_.progress().phase, search::Phase::kMeasure);
  EXPECT_EQ(parent_.progress().phase_changes, 3u);
  child_.beat(77);
  child_.beat(78);
  EXPECT_EQ(parent_.progress().beat, 2u);
  EXPECT_EQ(parent_.progress().detail, 78u);
  EXPECT_TRUE(child_.reply(1, {}));
  EXPECT_EQ(parent_.progress().trial, 0u);
}

TEST_F(Mailbox, ABeatDoesNotRing) {
  child_.beat();
  EXPECT_FALSE(rung(parent_));
}

// --- Two threads ---

TEST_F(Mailbox, CarriesManyRoundTripsBetweenTwoThreads) {
  constexpr std::uint64_t kTrips = 2000;
  std::thread evaluator([this] {
    for (std::uint64_t i = 0; i < kTrips;) {
      const auto request = child_.wait(1s);
      if (!request) continue;
      child_.mark(search::Phase::kMeasure);
      ASSERT_TRUE(child_.reply(request->header.kind, request->payload));
      ++i;
    }
  });
  for (std::uint64_t trial = 1; trial <= kTrips; ++trial) {
    const auto payload = payload_of(std::string(trial % 300, static_cast<char>('a' + trial % 26)));
    ASSERT_TRUE(parent_.post(3, trial, 0, payload));
    ParentMailbox::Taken taken;
    while (is_nothing(taken = parent_.take())) {
      pollfd p{parent_.doorbell_fd(), POLLIN, 0};
      ::poll(&p, 1, -1);
    }
    ASSERT_TRUE(std::holds_alternative<Record>(taken)) << corruption(taken);
    EXPECT_EQ(std::get<Record>(taken).payload, payload);
  }
  evaluator.join();
}

// A thread sanitizer sees the two sides only where they use one mapping of the memory.
TEST(MailboxSlot, IsPublishedAndReadWithoutARaceOnOneMapping) {
  std::vector<std::uint64_t> memory(512);
  const auto region = std::as_writable_bytes(std::span(memory));
  constexpr std::uint32_t kRecords = 2000;
  std::atomic<std::uint32_t> taken = 0;
  std::thread writer([&] {
    const ProgressWords progress(region);
    for (std::uint32_t i = 1; i <= kRecords; ++i) {
      while (taken.load(std::memory_order_acquire) != i - 1) std::this_thread::yield();
      RecordHeader header;
      header.trial = i;
      progress.take_up(i);
      progress.mark(search::Phase::kMeasure);
      const std::vector<std::byte> payload(i % 1000, static_cast<std::byte>(i));
      ASSERT_TRUE(publish(region, kResponseRecordOffset, i, header, payload));
    }
  });
  for (std::uint32_t i = 1; i <= kRecords; ++i) {
    while (sequence_word(region).load(std::memory_order_acquire) != i) std::this_thread::yield();
    const auto read = read_record(region.subspan(kResponseRecordOffset));
    const auto* record = std::get_if<Record>(&read);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->header.trial, i);
    EXPECT_EQ(record->payload.size(), i % 1000);
    EXPECT_EQ(ProgressWords(region).read().trial, i);
    taken.store(i, std::memory_order_release);
  }
  writer.join();
}

TEST_F(Mailbox, HasTheNoteOfTheRequestInHand) {
  EXPECT_EQ(parent_.note(), "");
  (void)outstanding_request();
  EXPECT_EQ(parent_.note(), "");
  child_.note("it waits for a line");
  EXPECT_EQ(parent_.note(), "it waits for a line");
  child_.note("a line");
  EXPECT_EQ(parent_.note(), "a line");
  EXPECT_TRUE(child_.reply(19, payload_of("answer")));
  EXPECT_EQ(parent_.note(), "") << "the reply says what there is to say";
  EXPECT_TRUE(std::holds_alternative<Record>(parent_.take())) << "it lies beside the reply";

  child_.note("late");
  (void)outstanding_request();
  EXPECT_EQ(parent_.note(), "") << "of the request before";
}

TEST_F(Mailbox, CutsALongNoteAndTakesAnyBytesForOne) {
  (void)outstanding_request();
  child_.note(std::string(kResponseBytes, 'x'));
  EXPECT_EQ(parent_.note(), std::string(kNoteBytes - 1, 'x'));
  EXPECT_TRUE(child_.reply(19, payload_of("answer")));
  EXPECT_TRUE(std::holds_alternative<Record>(parent_.take()));

  (void)outstanding_request();
  child_.note("\x1b[31m\nred\x7f");
  EXPECT_EQ(parent_.note(), " [31m red ");
  std::memset(RawMailbox::response(child_).data() + kNoteOffset, 0xff, kNoteBytes);
  EXPECT_EQ(parent_.note().size(), kNoteBytes - 1);
}

}  // namespace
}  // namespace nightshift::ipc
