#include "search/trial.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>

#include "base/overloaded.h"
#include "base/quantity.h"
#include "search/telling_line.h"
#include "search/value.h"

namespace nightshift::search {

namespace {

std::string number(double x) {
  std::string text = to_text(x);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

std::string signal_name(int code) {
  constexpr std::array<std::pair<int, std::string_view>, 25> kNames = {
      {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},       {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
       {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
       {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},     {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
       {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},     {SIGTERM, "SIGTERM"}, {SIGSTOP, "SIGSTOP"},
       {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},     {SIGTTOU, "SIGTTOU"}, {SIGXCPU, "SIGXCPU"},
       {SIGXFSZ, "SIGXFSZ"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGSYS, "SIGSYS"},
       {SIGPWR, "SIGPWR"}}};
  for (const auto& [signal, name] : kNames) {
    if (signal == code) return std::string(name);
  }
  return "signal " + std::to_string(code);
}

namespace {

std::string_view doing(Phase phase) {
  constexpr std::array<std::string_view, 11> kDoing = {"starting",
                                                       "waiting for work",
                                                       "reading its configuration",
                                                       "building",
                                                       "loading",
                                                       "preparing the inputs",
                                                       "checking its answer",
                                                       "warming up",
                                                       "measuring",
                                                       "replying",
                                                       "shutting down"};
  const auto i = static_cast<std::size_t>(phase);
  return i < kDoing.size() ? kDoing[i] : "doing something unknown";
}

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::size_t kLongestLine = 300;  // a table or a terminal has no use for more

std::string shortened(std::string_view line) {
  const std::size_t start = line.find_first_not_of(kBlank);
  if (start == std::string_view::npos) return {};
  line = line.substr(start, line.find_last_not_of(kBlank) - start + 1);
  if (line.size() <= kLongestLine) return std::string(line);
  return std::string(line.substr(0, kLongestLine)) + "...";
}

// What comes before the first error is context.
std::string telling_line(std::string_view text) {
  std::size_t at = first_error_line(text);
  if (at == std::string_view::npos) at = std::min(text.find("error"), text.find("fatal"));
  if (at == std::string_view::npos) at = text.find_first_not_of(kBlank);
  if (at == std::string_view::npos) return {};
  const std::size_t previous_end = text.rfind('\n', at);
  const std::size_t start = previous_end == std::string_view::npos ? 0 : previous_end + 1;
  return shortened(text.substr(start, text.find('\n', at) - start));
}

std::string first_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlank);
  if (start == std::string_view::npos) return {};
  return shortened(text.substr(start, text.find('\n', start) - start));
}

}  // namespace

std::string dying_words(std::string_view text) {
  if (first_error_line(text) != std::string_view::npos) return telling_line(text);
  const std::size_t end = text.find_last_not_of(kBlank);
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return shortened(text.substr(text.rfind('\n') + 1));
}

namespace {

std::string with_detail(std::string sentence, const std::string& detail) {
  if (!detail.empty()) sentence += ": " + detail;
  return sentence;
}

std::string describe_crash(const Crashed& crash) {
  std::string sentence;
  switch (crash.cause) {
    case Crashed::Cause::kSignal:
      sentence = "killed by " + signal_name(crash.code);
      break;
    case Crashed::Cause::kExitCode:
      sentence = "exited with code " + std::to_string(crash.code);
      break;
    case Crashed::Cause::kCorruptReply:
      sentence = "sent a corrupt reply";
      break;
    case Crashed::Cause::kDeviceError:
      sentence = "broke the device context (CUDA error " + std::to_string(crash.code) + ")";
      break;
  }
  sentence += " while ";
  sentence += doing(crash.phase);
  // Of a corrupt reply we say first what is wrong with it; what the process printed comes after.
  const bool ours = crash.cause == Crashed::Cause::kCorruptReply;
  return with_detail(std::move(sentence),
                     ours ? first_line(crash.last_words) : dying_words(crash.last_words));
}

std::string describe_timeout(const TimedOut& timeout) {
  if (timeout.out_of_budget) {
    return with_detail("ended with the study's time, after " +
                           base::rounded_seconds(timeout.limit_seconds) + " s, while " +
                           std::string(doing(timeout.phase)),
                       shortened(timeout.message));
  }
  return with_detail("exceeded " + base::rounded_seconds(timeout.limit_seconds) + " s while " +
                         std::string(doing(timeout.phase)) +
                         (timeout.progressing ? " (slow: it was still making progress)"
                                              : " (hung: no sign of progress)"),
                     shortened(timeout.message));
}

std::string name_of_element(const WrongResult& wrong) {
  return wrong.output + "[" + std::to_string(wrong.element) + "]";
}

std::string element_text(const WrongResult& wrong) {
  return name_of_element(wrong) + " is " + number(wrong.got) + " where " + number(wrong.expected) +
         " was expected";
}

std::string describe_difference(const WrongResult& wrong) {
  if (wrong.message.empty()) {
    return "wrong result: " + element_text(wrong) + ", off by " + number(wrong.error) +
           " with a tolerance of " + number(wrong.tolerance);
  }
  const bool has_element = std::isfinite(wrong.got) && std::isfinite(wrong.expected);
  const std::string said = first_line(wrong.message);
  // Then the message has digits that our numbers have not.
  constexpr double kExact = 0x1p53;
  const bool has_said = std::max(std::abs(wrong.got), std::abs(wrong.expected)) >= kExact &&
                        said.find(name_of_element(wrong) + " is ") != std::string::npos;
  return "wrong result: " + said +
         (has_element && !wrong.output.empty() && !has_said ? "; " + element_text(wrong) : "");
}

}  // namespace

std::string_view status_name(const TrialOutcome& outcome) {
  return kStatusNames.at(outcome.index());
}

std::string_view name_of(JobKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"baseline", "confirm", "rebaseline",
                                                      "explore"};
  const auto i = static_cast<std::size_t>(kind);
  return i < kNames.size() ? kNames[i] : "unknown";
}

std::string_view name_of(Phase phase) {
  constexpr std::array<std::string_view, 11> kNames = {"boot",    "ready",   "configure", "build",
                                                       "load",    "prepare", "verify",    "warm-up",
                                                       "measure", "reply",   "shutdown"};
  const auto i = static_cast<std::size_t>(phase);
  return i < kNames.size() ? kNames[i] : "unknown";
}

std::string describe(const TrialOutcome& outcome) {
  return std::visit(
      base::Overloaded{
          [](const Measured&) { return std::string(); },
          [](const BuildFailed& o) {
            return with_detail("did not build", telling_line(o.message));
          },
          [](const LaunchFailed& o) {
            return with_detail("gave no result", telling_line(o.message));
          },
          [](const WrongResult& o) { return describe_difference(o); },
          [](const TimedOut& o) { return describe_timeout(o); },
          [](const Crashed& o) { return describe_crash(o); },
          [](const DeviceLost& o) { return with_detail("device lost", shortened(o.reason)); },
          [](const Skipped& o) {
            return "same artifact as trial " + std::to_string(o.same_as.value);
          },
      },
      outcome);
}

TrialOutcome in_case(TrialOutcome outcome, const std::string& words) {
  if (auto* failed = std::get_if<LaunchFailed>(&outcome)) {
    failed->message = "case " + words + ": " + failed->message;
  } else if (auto* wrong = std::get_if<WrongResult>(&outcome)) {
    const std::string more =
        wrong->message.empty()
            ? "off by " + number(wrong->error) + " with a tolerance of " + number(wrong->tolerance)
            : wrong->message;
    wrong->message = "in case " + words + ", " + more;
  }
  return outcome;
}

}  // namespace nightshift::search
