#include "evaluator/process/memory_limit.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace nightshift::evaluator {

namespace {

using std::string_view_literals::operator""sv;

// Of libraries of C and C++, Python, compilers, Go and Java, in small letters.
constexpr std::array kShort = {"bad_alloc"sv,
                               "memoryerror"sv,
                               "out of memory"sv,
                               "outofmemory"sv,
                               "allocate"sv,
                               "memory exhausted"sv,
                               "enomem"sv,
                               "not enough memory"sv,
                               "insufficient memory"sv,
                               "memory allocation"sv,
                               "failed to map segment"sv};
constexpr std::array kEndsWithoutMemory = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP};
constexpr int kExitOfSignal = 128;  // and its number, as a shell says it

bool says_so(const std::string& words) {
  const std::string small = base::in_small_letters(words);
  return std::ranges::any_of(
      kShort, [&](std::string_view sign) { return small.find(sign) != std::string::npos; });
}

bool may_be_so(const search::Crashed& crash) {
  const bool by_signal = crash.cause == search::Crashed::Cause::kSignal;
  if (!by_signal && crash.cause != search::Crashed::Cause::kExitCode) return false;
  const int signal = by_signal ? crash.code : crash.code - kExitOfSignal;
  return std::ranges::find(kEndsWithoutMemory, signal) != kEndsWithoutMemory.end();
}

std::string with(const std::string& remark, const std::string& words, std::uint64_t bytes) {
  const std::string said = search::dying_words(words);
  return "error: " + (said.empty() ? "" : said + "; ") + remark + " limits.memory, " +
         std::to_string(bytes) + " bytes\n" + words;
}

}  // namespace

std::string with_memory_limit(const std::string& words, std::uint64_t bytes) {
  return bytes > 0 && says_so(words) ? with("the limit is", words, bytes) : words;
}

search::Crashed with_memory_limit(search::Crashed crash, std::uint64_t bytes) {
  if (bytes == 0) return crash;
  if (says_so(crash.last_words)) {
    crash.last_words = with("the limit is", crash.last_words, bytes);
  } else if (may_be_so(crash)) {
    crash.last_words = with("perhaps for want of memory:", crash.last_words, bytes);
  }
  return crash;
}

}  // namespace nightshift::evaluator
