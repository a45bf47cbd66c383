#include "evaluator/process/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <fstream>
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

namespace {

// The number that the file holds; 0 where it holds another word ("max"), or is not there.
std::uint64_t number_in(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  std::uint64_t number = 0;
  if (!(in >> word)) return 0;
  const char* end = word.data() + word.size();
  return std::from_chars(word.data(), end, number).ptr == end ? number : 0;
}

// The least limit of a group and of all around it. Of a group that is not to be seen from here,
// as inside of a container, those around it count.
std::uint64_t least_limit(const std::string& root, std::string_view group, const char* name) {
  std::uint64_t least = 0;
  while (true) {
    const std::uint64_t limit = number_in(root + std::string(group) + "/" + name);
    if (limit > 0 && (least == 0 || limit < least)) least = limit;
    const std::size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string_view::npos) return least;
    group = group.substr(0, slash);
  }
}

bool lists_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "memory") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

MachineMemory memory_within(std::uint64_t machine, const std::string& own_groups,
                            const std::string& groups) {
  std::uint64_t least = 0;
  std::ifstream in(own_groups);
  // "4:memory:/job/step" of version 1, "0::/job/step" of version 2.
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view all = line, group = all.substr(second + 1);
    const std::string_view controllers = all.substr(first + 1, second - first - 1);
    const std::uint64_t limit = controllers.empty() ? least_limit(groups, group, "memory.max")
                                : lists_memory(controllers) ? least_limit(groups + "/memory", group,
                                                                          "memory.limit_in_bytes")
                                                            : 0;
    if (limit > 0 && (least == 0 || limit < least)) least = limit;
  }
  const bool is_of_group = least > 0 && (machine == 0 || least < machine);
  return {is_of_group ? least : machine, is_of_group};
}

MachineMemory machine_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  const bool known = pages > 0 && size > 0;
  return memory_within(
      known ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0,
      "/proc/self/cgroup", "/sys/fs/cgroup");
}

}  // namespace nightshift::evaluator
