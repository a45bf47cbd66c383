#include "tools/history/still_here.h"

#include <fmt/format.h>

#include <filesystem>

#include "scheduler/devices/environment_facts.h"
#include "tools/problem/toolchain.h"

namespace nightshift::tools {
namespace {

constexpr double kPatience = 10;  // seconds that git may take

}  // namespace

bool StillHere::has(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && std::filesystem::exists(path, ignored);
}

std::string StillHere::compiler(const search::IdentityPart& of_then) { return word_for(of_then); }

std::vector<std::string> StillHere::compilers_beside(const search::IdentityPart& one) {
  return words_beside(one);
}

std::string StillHere::commit(const std::string& file, double at) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-C", folder});
    return scheduler::first_line(scheduler::output_of("git", arguments, kPatience));
  };
  if (git({"ls-files", "--", file}).empty()) return "";
  return git(
      {"log", "-1", "--first-parent", "--format=%h", fmt::format("--before=@{:.0f}", at), "HEAD"});
}

}  // namespace nightshift::tools
