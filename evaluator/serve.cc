#include "evaluator/serve.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "evaluator/cuda/clocks/clock_keeper.h"
#include "evaluator/cuda/driver/gpu_list.h"
#include "evaluator/process/confinement.h"
#include "evaluator/process/damaged_artifact.h"
#include "evaluator/process/held_build.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/profile.h"
#include "ipc/child_prologue.h"
#include "ipc/cores.h"
#include "ipc/mailbox.h"
#include "ipc/orphans.h"
#include "ipc/unique_fd.h"
#include "ipc/warden.h"

namespace nightshift::evaluator {
namespace {

using ipc::MessageKind;

constexpr int kUsageError = 2;
constexpr int kProtocolError = 70;  // a request or reply that cannot be; the parent starts another
constexpr int kSetupError = 71;     // this process could not become an evaluator
constexpr int kFirstFreeDescriptor = 6;
constexpr std::chrono::milliseconds kParentCheck{1000};

// What "--evaluator" was given.
struct EvaluatorArguments {
  pid_t parent = 0;
  std::uint64_t epoch = 0;
  ipc::ChildLimits limits;
};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// nullopt when the six arguments are not what serve.h says.
std::optional<EvaluatorArguments> parse_evaluator(const std::vector<std::string>& a) {
  if (a.size() != 6) return std::nullopt;
  const auto parent = number_in<pid_t>(a[1]);
  const auto epoch = number_in<std::uint64_t>(a[2]);
  auto cores = ipc::parse_core_argument(a[3]);
  const auto address_space = number_in<std::uint64_t>(a[5]);
  if (!parent || *parent <= 0 || !epoch || !cores || (a[4] != "0" && a[4] != "1") ||
      !address_space) {
    return std::nullopt;
  }
  EvaluatorArguments parsed;
  parsed.parent = *parent;
  parsed.epoch = *epoch;
  parsed.limits.cores = *std::move(cores);
  parsed.limits.idle_priority = a[4] == "1";
  parsed.limits.address_space = *address_space;
  return parsed;
}

int usage_error(const std::vector<std::string>& arguments) {
  std::fprintf(stderr,
               "nightshift-evaluator: cannot make sense of '%s'\n"
               "It is started by `nightshift` and has no use by hand. Its roles:\n"
               "  --evaluator PARENT_PID EPOCH CORES IDLE ADDRESS_SPACE\n"
               "  --warden ...\n"
               "  --gpus PARENT_PID\n"
               "  --profiled FILE\n"
               "  --clock-keeper ...\n",
               arguments.empty() ? "" : arguments.front().c_str());
  return kUsageError;
}

class MailboxProgress final : public ProgressSink {
 public:
  explicit MailboxProgress(ipc::ChildMailbox& mailbox) : mailbox_(mailbox) {}
  void mark(search::Phase phase) override { mailbox_.mark(phase); }
  void beat(std::uint64_t detail) override { mailbox_.beat(detail); }
  void note(const std::string& words) override { mailbox_.note(words); }

 private:
  ipc::ChildMailbox& mailbox_;
};

// Standard output and error as they were at the start. A kernel may close or replace them; what
// later trials print, their last words among it, would then be lost or go into a file of theirs.
class OutputFiles {
 public:
  bool unchanged() const { return identities() == at_start_; }

 private:
  using Identity = std::pair<dev_t, ino_t>;
  static std::array<Identity, 2> identities() {
    const auto identity = [](int descriptor) {
      struct stat file {};
      return ::fstat(descriptor, &file) == 0 ? Identity{file.st_dev, file.st_ino} : Identity{};
    };
    return {identity(STDOUT_FILENO), identity(STDERR_FILENO)};
  }

  std::array<Identity, 2> at_start_ = identities();
};

// The requests of one incarnation, in turn.
class Service {
 public:
  Service(ipc::ChildMailbox& mailbox, const BackendFactory& factory)
      : mailbox_(mailbox), progress_(mailbox), factory_(factory) {}

  // The exit code when this was the last request.
  std::optional<int> serve(const ipc::Record& request);
  void idle() {
    if (backend_ != nullptr) backend_->idle();
  }

 private:
  bool configure(const ipc::Record& request);
  bool build(const ipc::Record& request);
  ipc::BuiltReply built_unless_held(const ipc::BuildRequest& request);
  bool evaluate(const ipc::Record& request);
  void keep_scratch() const;
  search::TrialReport looked_after(const ipc::EvaluateRequest& request, std::string& damaged);
  bool reply(MessageKind kind, const std::vector<std::byte>& payload) {
    return mailbox_.reply(static_cast<std::uint32_t>(kind), payload);
  }

  ipc::ChildMailbox& mailbox_;
  MailboxProgress progress_;
  const BackendFactory& factory_;
  const OutputFiles output_files_;
  std::unique_ptr<TrialBackend> backend_;
  std::string scratch_folder_;
  std::string confined_;  // how, told with each evaluation; empty: not asked for
};

// Calls `work`, and gives the words of whatever it throws to `failed`.
template <class Work, class Failed>
auto guarded(Work&& work, Failed&& failed) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& e) {
    return failed(std::string(e.what()));
  } catch (...) {
    return failed(std::string("an exception that is no std::exception was thrown"));
  }
}

// Kernels that nobody vouches for run in this process. TMPDIR is where they may write. What programs
// do that are started is theirs.
std::string confined_for(const ipc::ConfigureRequest& request) {
  const bool is_confined =
      search::is_kernel(request.problem) && request.problem.sampling.trust == search::Trust::kNone;
  if (!is_confined) return {};
  ::setenv("TMPDIR", request.scratch_folder.c_str(), 1);
  const std::string done = confine({{request.scratch_folder, "/dev", "/proc"}});
  return done.empty() ? "nothing that this kernel could" : done;
}

bool Service::configure(const ipc::Record& request) {
  const auto message = ipc::decode<ipc::ConfigureRequest>(request.payload);
  scratch_folder_ = message.scratch_folder;
  progress_.mark(search::Phase::kConfigure);
  backend_.reset();
  const auto configured = guarded(
      [&] {
        backend_ = factory_(message);
        if (message.measures) confined_ = confined_for(message);
        return ipc::ConfiguredReply{};
      },
      [](std::string words) {
        return ipc::ConfiguredReply{words.empty() ? "the problem was refused" : std::move(words)};
      });
  return reply(MessageKind::kConfigured, ipc::encode(configured));
}

// A cleaner of old files may have taken it, which would fail all that is left.
void Service::keep_scratch() const {
  std::error_code ignored;
  if (!scratch_folder_.empty()) std::filesystem::create_directories(scratch_folder_, ignored);
}

ipc::BuiltReply Service::built_unless_held(const ipc::BuildRequest& request) {
  const auto start = Clock::now();
  try {
    return backend_->build(request, progress_);
  } catch (const HeldBuild& held) {
    return {held.outcome(), seconds_since(start)};
  }
}

bool Service::build(const ipc::Record& request) {
  const auto message = ipc::decode<ipc::BuildRequest>(request.payload);
  if (backend_ == nullptr) return false;
  keep_scratch();
  progress_.mark(search::Phase::kBuild);
  const auto built = guarded([&] { return built_unless_held(message); },
                             [](std::string words) {
                               return ipc::BuiltReply{search::BuildFailed{std::move(words)}, 0};
                             });
  progress_.mark(search::Phase::kReply);
  if (reply(MessageKind::kBuilt, ipc::encode(built))) return true;
  const ipc::BuiltReply too_large{
      search::BuildFailed{"the build's report does not fit into the mailbox"}, built.seconds};
  return reply(MessageKind::kBuilt, ipc::encode(too_large));
}

// Says which artifact is damaged where one is.
search::TrialReport Service::looked_after(const ipc::EvaluateRequest& request,
                                          std::string& damaged) {
  try {
    return backend_->evaluate(request, progress_);
  } catch (const DamagedArtifact& e) {
    damaged = e.name();
    throw;
  }
}

bool Service::evaluate(const ipc::Record& request) {
  const auto message = ipc::decode<ipc::EvaluateRequest>(request.payload);
  if (backend_ == nullptr) return false;
  keep_scratch();
  ipc::EvaluatedReply evaluated;
  evaluated.report =
      guarded([&] { return looked_after(message, evaluated.damaged); },
              [](std::string words) {
                return search::TrialReport{search::LaunchFailed{std::move(words)}, {}};
              });
  auto* measured = std::get_if<search::Measured>(&evaluated.report.outcome);
  if (measured != nullptr && !confined_.empty()) {
    measured->measurement.conditions.emplace_back("confined", confined_);
  }
  evaluated.spent = backend_->spent() || !output_files_.unchanged();
  evaluated.fresh_program = backend_->ran_afresh();
  progress_.mark(search::Phase::kReply);
  const std::vector<std::byte> payload = ipc::encode(evaluated);
  if (reply(MessageKind::kEvaluated, payload)) return true;
  const std::string words = "the report of this trial takes " + std::to_string(payload.size()) +
                            " bytes, more than the mailbox carries: fewer samples would fit";
  const ipc::EvaluatedReply too_large{{search::LaunchFailed{words}, evaluated.report.cost},
                                      evaluated.spent,
                                      evaluated.fresh_program};
  return reply(MessageKind::kEvaluated, ipc::encode(too_large));
}

std::optional<int> Service::serve(const ipc::Record& request) {
  bool served = false;
  switch (static_cast<MessageKind>(request.header.kind)) {
    case MessageKind::kConfigure:
      served = configure(request);
      break;
    case MessageKind::kBuild:
      served = build(request);
      break;
    case MessageKind::kEvaluate:
      served = evaluate(request);
      break;
    case MessageKind::kStop:
      mailbox_.mark(search::Phase::kShutdown);
      backend_.reset();
      return 0;
    default:
      break;
  }
  if (served) return std::nullopt;
  std::fprintf(stderr, "nightshift-evaluator: cannot answer a request of kind %u\n",
               request.header.kind);
  return kProtocolError;
}

int serve_requests(pid_t parent, ipc::ChildMailbox& mailbox, const BackendFactory& factory) {
  Service service(mailbox, factory);
  mailbox.mark(search::Phase::kReady);
  try {
    while (true) {
      const std::optional<ipc::Record> request = mailbox.wait(kParentCheck);
      if (request) {
        if (const std::optional<int> code = service.serve(*request)) return *code;
      } else if (::getppid() != parent) {
        return 0;
      } else {
        service.idle();
      }
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "nightshift-evaluator: the request cannot be served: %s\n", e.what());
    return kProtocolError;
  }
}

int run_evaluator(const EvaluatorArguments& arguments, const BackendFactory& factory) {
  // A server that has died is seen by EPIPE, not by our own death.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const std::string refused =
        ipc::child_prologue(arguments.parent, kFirstFreeDescriptor, arguments.limits);
    if (!refused.empty()) {
      std::fprintf(stderr, "nightshift-evaluator: %s\n", refused.c_str());
      return kSetupError;
    }
    ipc::become_subreaper();
    ipc::ChildMailbox mailbox = ipc::ChildMailbox::open(ipc::UniqueFd(3), ipc::UniqueFd(4),
                                                        ipc::UniqueFd(5), arguments.epoch);
    return serve_requests(arguments.parent, mailbox, factory);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "nightshift-evaluator: %s\n", e.what());
    return kSetupError;
  }
}

int list_gpus(pid_t parent) {
  const std::string refused = ipc::child_prologue(parent, 3, {});
  if (!refused.empty()) {
    std::fprintf(stderr, "nightshift-evaluator: %s\n", refused.c_str());
    return kSetupError;
  }
  const std::string text = cuda::gpu_list() + "\n";
  const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  return written ? 0 : kSetupError;
}

}  // namespace

int serve(const std::vector<std::string>& arguments, const BackendFactory& factory) {
  const std::string role = arguments.empty() ? "" : arguments.front();
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                      arguments.end());
  if (role == "--warden") return ipc::run_warden(rest);
  if (role == "--clock-keeper") return cuda::run_clock_keeper(rest);
  if (role == "--gpus" && rest.size() == 1) {
    if (const auto parent = number_in<pid_t>(rest.front())) return list_gpus(*parent);
  }
  if (role == "--profiled" && rest.size() == 1) return run_profiled(rest.front(), factory);
  if (role == "--evaluator") {
    if (const auto parsed = parse_evaluator(arguments)) return run_evaluator(*parsed, factory);
  }
  return usage_error(arguments);
}

}  // namespace nightshift::evaluator
