// An evaluator that misbehaves on purpose, as the string parameter "puzzle" of each configuration
// says, so that one study can mix all kinds. It is a real evaluator (evaluator::serve) with a
// backend of its own; a second view of the same mailbox lets it reply what no decent evaluator
// would.
//
// What has to happen outside a trial is chosen by "--puzzle NAME" in front of the evaluator's own
// arguments.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "evaluator/make_backend.h"
#include "evaluator/serve.h"
#include "ipc/mailbox.h"
#include "ipc/messages.h"
#include "ipc/record.h"
#include "tests/fakes/raw_mailbox.h"

namespace {

using namespace nightshift;
using search::Phase;

std::string end_puzzle;  // what main does after the last request

[[noreturn]] void hang() {
  while (true) ::pause();
}

[[noreturn]] void segfault() {
  std::fprintf(stderr, "about to touch page zero\n");
  std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn the signal into an exit code
  std::raise(SIGSEGV);
  std::abort();
}

[[noreturn]] void abort_plainly() {
  std::fprintf(stderr, "assertion failed: everything\n");
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

// A process that would outlive everybody.
void fork_grandchild(bool new_session, bool twice) {
  if (::fork() != 0) return;
  if (new_session) ::setsid();
  if (twice && ::fork() != 0) ::_exit(0);
  std::signal(SIGTERM, SIG_IGN);
  hang();
}

void flood_output() {
  const std::string line(1023, '#');
  for (int i = 0; i < 8192; ++i) {
    (void)!::write(1, (line + "\n").data(), 1024);
    (void)!::write(2, (line + "\n").data(), 1024);
  }
}

[[noreturn]] void eat_memory() {
  constexpr std::size_t kBlock = 16 << 20;
  const rlimit limit{256 << 20, 256 << 20};
  ::setrlimit(RLIMIT_AS, &limit);
  while (true) {
    void* block =
        ::mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) abort_plainly();
    std::memset(block, 1, kBlock);
  }
}

search::TrialReport good_report(const search::Configuration& configuration) {
  const search::Value* n = configuration.find("n");
  const double x = n != nullptr ? search::as_number(*n) : 0;
  search::Measured measured;
  measured.measurement.figures = {{"time", {x + 0.25, x + 0.5}}};
  return {std::move(measured), {}};
}

// --- Replies that no decent evaluator gives ---

// The mailbox a second time, beside the one that serve() opens. Never destroyed: it shares the
// doorbell's descriptor with the other.
ipc::ChildMailbox* shadow = nullptr;

void open_shadow(std::uint64_t epoch) {
  shadow = new ipc::ChildMailbox(ipc::ChildMailbox::open(
      ipc::UniqueFd(::dup(3)), ipc::UniqueFd(::dup(4)), ipc::UniqueFd(5), epoch));
}

constexpr auto kEvaluated = static_cast<std::uint32_t>(ipc::MessageKind::kEvaluated);

ipc::RecordHeader current_header() {
  const auto record = shadow->wait(std::chrono::milliseconds{0});
  if (!record) throw std::runtime_error("there is no request");
  return record->header;
}

// Where replies lie, found by the reply to Configure that is still there.
std::span<std::byte> reply_block() {
  const std::span<std::byte> all = ipc::RawMailbox::response(*shadow);
  for (std::size_t at = 0; at < 4096; at += 8) {
    if (std::memcmp(all.data() + at, &ipc::kRecordMagic, 4) == 0) return all.subspan(at);
  }
  throw std::runtime_error("there is no earlier reply");
}

// The number of replies is the first word of the response.
void publish(std::uint32_t replies) {
  std::uint32_t count = 0;
  std::memcpy(&count, ipc::RawMailbox::response(*shadow).data(), sizeof count);
  count += replies;
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(ipc::RawMailbox::response(*shadow).data(), &count, sizeof count);
  ipc::RawMailbox::ring(*shadow);
}

void reply_good(const ipc::EvaluateRequest& request) {
  (void)current_header();
  shadow->reply(kEvaluated, ipc::encode(ipc::EvaluatedReply{good_report(request.configuration)}));
}

[[noreturn]] void reply_with(const ipc::EvaluateRequest& request,
                             const std::function<void(ipc::RecordHeader&)>& change,
                             std::uint32_t replies = 1) {
  ipc::RecordHeader header = current_header();
  header.kind = kEvaluated;
  change(header);
  ipc::write_record(reply_block(), header,
                    ipc::encode(ipc::EvaluatedReply{good_report(request.configuration)}));
  publish(replies);
  hang();
}

[[noreturn]] void reply_half(const ipc::EvaluateRequest& request) {
  ipc::RecordHeader header = current_header();
  header.kind = kEvaluated;
  const auto payload = ipc::encode(ipc::EvaluatedReply{good_report(request.configuration)});
  const auto block = reply_block();
  ipc::write_record(block, header, payload);
  std::memset(block.data() + sizeof header + payload.size() / 2, 0xaa, payload.size() / 2 + 1);
  publish(1);
  hang();
}

[[noreturn]] void reply_garbage() {
  const auto all = ipc::RawMailbox::response(*shadow);
  unsigned state = 12345;
  for (std::size_t i = 0; i < (64 << 10); ++i) {
    state = state * 1664525 + 1013904223;
    all[i] = static_cast<std::byte>(state >> 24);
  }
  publish(1);
  hang();
}

// A whole record with a sound checksum, whose content is no message.
[[noreturn]] void reply_nonsense() {
  (void)current_header();
  const std::vector<std::byte> payload(100, std::byte{0xff});
  shadow->reply(kEvaluated, payload);
  hang();
}

// What a kernel does that cleans up after itself too well. The mailbox is mapped and stays.
void close_from(unsigned first) { ::close_range(first, ~0U, 0); }

void overwrite_from(int first) {
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int descriptor = first; descriptor < 64; ++descriptor) ::dup2(nowhere, descriptor);
}

// The second reply comes once the parent has taken the first: it empties the doorbell then.
void reply_twice(const ipc::EvaluateRequest& request) {
  reply_good(request);
  std::uint64_t rings = 1;
  while (rings != 0) {
    char line[64];
    const ipc::UniqueFd info(::open("/proc/self/fdinfo/5", O_RDONLY));
    char text[512] = {};
    (void)!::read(info.get(), text, sizeof text - 1);
    const char* count = std::strstr(text, "eventfd-count:");
    if (count == nullptr || std::sscanf(count, "eventfd-count: %63s", line) != 1) break;
    rings = std::strtoull(line, nullptr, 16);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

// --- The backend ---

class PuzzleBackend final : public evaluator::TrialBackend {
 public:
  explicit PuzzleBackend(std::string artifacts) : artifacts_(std::move(artifacts)) {}

  ipc::BuiltReply build(const ipc::BuildRequest& request, evaluator::ProgressSink&) override {
    const std::string puzzle = puzzle_of(request.configuration);
    if (puzzle == "segfault") segfault();
    if (puzzle == "hang") hang();
    if (puzzle == "refuse") return {search::BuildFailed{"no such instruction"}, 0.5};
    return {ipc::Artifact{puzzle + "-hash", 7}, 0.25};
  }

  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               evaluator::ProgressSink& progress) override {
    // Or the reply to the next request could take the place of the second one to this.
    if (replied_twice_) hang();
    const std::string puzzle = puzzle_of(request.configuration);
    replied_twice_ = puzzle == "reply-twice";
    // A decent trial marks neither of these two, so that their limits can be short.
    if (puzzle == "hang" || puzzle == "ignore-sigterm" || puzzle == "slow" ||
        puzzle == "ring-and-hang") {
      progress.mark(Phase::kVerify);
    }
    for (const Phase phase : {Phase::kLoad, Phase::kPrepare, Phase::kVerify, Phase::kWarmUp,
                              Phase::kMeasure, Phase::kReply}) {
      if (puzzle != "sigkill-" + std::string(search::name_of(phase))) continue;
      progress.mark(phase);
      std::raise(SIGKILL);
    }
    misbehave(puzzle, request, progress);
    progress.mark(Phase::kMeasure);
    return good_report(request.configuration);
  }

 private:
  static std::string puzzle_of(const search::Configuration& configuration) {
    const search::Value* value = configuration.find("puzzle");
    return value != nullptr ? std::get<std::string>(*value) : "good";
  }

  void misbehave(const std::string& puzzle, const ipc::EvaluateRequest& request,
                 evaluator::ProgressSink& progress);

  std::string artifacts_;
  bool replied_twice_ = false;
};

void PuzzleBackend::misbehave(const std::string& puzzle, const ipc::EvaluateRequest& request,
                              evaluator::ProgressSink& progress) {
  const std::map<std::string, std::function<void()>> puzzles = {
      {"good", [] {}},
      {"segfault", segfault},
      {"abort", abort_plainly},
      {"exit-0", [] { std::_Exit(0); }},
      {"exit-3",
       [] {
         std::fprintf(stderr, "three\n");
         std::_Exit(3);
       }},
      {"hang", hang},
      {"ignore-sigterm",
       [] {
         for (int s = 1; s < 32; ++s) std::signal(s, SIG_IGN);
         hang();
       }},
      {"slow",
       [&] {
         for (std::uint64_t i = 0;; ++i) {
           progress.beat(i);
           std::this_thread::sleep_for(std::chrono::milliseconds{1});
         }
       }},
      {"marks-phases-for-ever",
       [&] {
         while (true) {
           progress.mark(Phase::kMeasure);
           std::this_thread::sleep_for(std::chrono::milliseconds{1});
         }
       }},
      {"ring-and-hang",
       [] {
         while (true) ipc::RawMailbox::ring(*shadow);
       }},
      {"grandchild", [] { fork_grandchild(false, false); }},
      {"grandchild-session", [] { fork_grandchild(true, false); }},
      {"grandchild-daemon", [] { fork_grandchild(true, true); }},
      {"grandchild-and-exit",
       [] {
         fork_grandchild(true, true);
         std::_Exit(3);
       }},
      {"close-descriptors", [] { close_from(3); }},
      {"close-descriptors-and-hang",
       [&] {
         close_from(3);
         progress.mark(Phase::kVerify);
         hang();
       }},
      {"overwrite-descriptors", [] { overwrite_from(3); }},
      {"close-output",
       [] {
         ::close(1);
         ::close(2);
       }},
      {"overwrite-output", [] { overwrite_from(1); }},
      {"eat-memory", eat_memory},
      {"flood", flood_output},
      {"flood-and-exit",
       [] {
         flood_output();
         std::_Exit(3);
       }},
      {"throw", [] { throw std::runtime_error("this candidate cannot be launched"); }},
      {"reply-garbage", reply_garbage},
      {"reply-half", [&] { reply_half(request); }},
      {"reply-nonsense", reply_nonsense},
      {"reply-twice", [&] { reply_twice(request); }},
      {"reply-twice-at-once",
       [&] {
         reply_with(
             request, [](auto&) {}, 2);
       }},
      {"reply-other-trial", [&] { reply_with(request, [](auto& header) { ++header.trial; }); }},
      {"reply-other-epoch", [&] { reply_with(request, [](auto& header) { ++header.epoch; }); }},
      {"reply-other-request",
       [&] { reply_with(request, [](auto& header) { --header.sequence; }); }},
      {"reply-other-kind", [&] { reply_with(request, [](auto& header) { header.kind = 17; }); }},
      {"crash-after-reply",
       [&] {
         reply_good(request);
         segfault();
       }},
      {"hang-after-reply",
       [&] {
         reply_good(request);
         hang();
       }},
      {"hang-at-exit", [] { end_puzzle = "hang"; }},
      {"sigkill-shutdown", [] { end_puzzle = "sigkill"; }},
  };
  const auto it = puzzles.find(puzzle);
  if (it == puzzles.end() && puzzle != "wrong-answer") {
    throw std::runtime_error("no such puzzle: " + puzzle);
  }
  if (it != puzzles.end()) it->second();
}

// wrong-answer is the one puzzle that is an outcome.
class AnsweringBackend final : public evaluator::TrialBackend {
 public:
  explicit AnsweringBackend(std::string artifacts) : inner_(std::move(artifacts)) {}

  ipc::BuiltReply build(const ipc::BuildRequest& request, evaluator::ProgressSink& p) override {
    return inner_.build(request, p);
  }
  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               evaluator::ProgressSink& progress) override {
    search::TrialReport report = inner_.evaluate(request, progress);
    const search::Value* puzzle = request.configuration.find("puzzle");
    if (puzzle != nullptr && search::same_value(*puzzle, std::string("wrong-answer"))) {
      report.outcome = search::WrongResult{"c", 17, 2.5, 2.0, 0.5, 0.001};
    }
    return report;
  }

 private:
  PuzzleBackend inner_;
};

int live(const std::string& puzzle, const std::vector<std::string>& arguments) {
  const bool is_evaluator = !arguments.empty() && arguments.front() == "--evaluator";
  if (!is_evaluator) return evaluator::serve(arguments, evaluator::make_backend);
  if (puzzle == "sigkill-boot") std::raise(SIGKILL);
  if (puzzle == "exit-boot") {
    std::fprintf(stderr, "the driver is too old\n");
    return 9;
  }
  if (puzzle == "hang-boot") hang();
  constexpr std::string_view kOnceThereIs = "exit-boot-once-there-is:";
  if (puzzle.starts_with(kOnceThereIs) &&
      ::access(puzzle.c_str() + kOnceThereIs.size(), F_OK) == 0) {
    return 9;
  }
  open_shadow(std::strtoull(arguments.at(2).c_str(), nullptr, 10));
  if (puzzle == "sigkill-ready") {
    shadow->mark(Phase::kReady);
    std::raise(SIGKILL);
  }
  const int code = evaluator::serve(arguments, [&](const ipc::ConfigureRequest& request) {
    if (puzzle == "sigkill-configure") std::raise(SIGKILL);
    if (puzzle == "hang-configure") hang();
    if (puzzle == "refuse-builders" && !request.measures) throw std::runtime_error("no compiler");
    if (puzzle == "refuse") throw std::runtime_error("this device has no tensor cores");
    return std::make_unique<AnsweringBackend>(request.artifact_folder);
  });
  if (end_puzzle == "hang") hang();
  if (end_puzzle == "sigkill") std::raise(SIGKILL);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::string puzzle;
  if (arguments.size() >= 2 && arguments[0] == "--puzzle") {
    puzzle = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  return live(puzzle, arguments);
}
