#include "evaluator/cuda/driver/toolkits.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "evaluator/cuda/driver/open_library.h"
#include "evaluator/process/program_path.h"

namespace nightshift::evaluator::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kToolkits = "/usr/local";
constexpr const char* kToolkit = "cuda-";

// By numbers: cuda-12.10 is newer than cuda-12.9.
std::vector<int> numbers_of(const std::string& name) {
  std::vector<int> numbers;
  bool in_number = false;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && !in_number) numbers.push_back(0);
    if (is_digit && numbers.back() < 100'000) numbers.back() = 10 * numbers.back() + (c - '0');
    in_number = is_digit;
  }
  return numbers;
}

}  // namespace

std::vector<std::string> toolkit_roots() {
  std::vector<std::string> roots = {environment("CUDA_HOME"), environment("CUDA_PATH"),
                                    "/usr/local/cuda"};
  std::erase(roots, "");
  return roots;
}

std::vector<std::string> all_toolkit_roots() {
  std::vector<std::string> others;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kToolkits, ignored)) {
    if (entry.path().filename().string().starts_with(kToolkit)) {
      others.push_back(entry.path().string());
    }
  }
  std::ranges::sort(others, [](const std::string& a, const std::string& b) {
    return numbers_of(a) > numbers_of(b);
  });
  std::vector<std::string> roots = toolkit_roots();
  roots.insert(roots.end(), others.begin(), others.end());
  return roots;
}

std::vector<std::string> nvrtc_candidates() {
  if (const std::string given = environment("NIGHTSHIFT_NVRTC"); !given.empty()) {
    std::vector<std::string> paths;
    for (std::size_t at = 0; at <= given.size();) {
      const std::size_t end = std::min(given.find(':', at), given.size());
      if (end > at) paths.push_back(given.substr(at, end - at));
      at = end + 1;
    }
    return paths;
  }
  std::vector<std::string> paths = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  for (const std::string& root : all_toolkit_roots()) paths.push_back(root + "/lib64/libnvrtc.so");
  return paths;
}

std::string toolkit_program(const std::string& name) {
  if (const auto on_path = find_program(name)) return on_path->string();
  for (const std::string& root : all_toolkit_roots()) {
    const fs::path program = fs::path(root) / "bin" / name;
    if (is_program(program)) return program.string();
  }
  return {};
}

std::vector<std::string> nvcc_programs() {
  std::vector<fs::path> found;
  if (const auto on_path = find_program("nvcc")) found.push_back(*on_path);
  for (const std::string& root : all_toolkit_roots()) {
    const fs::path program = fs::path(root) / "bin" / "nvcc";
    if (is_program(program)) found.push_back(program);
  }
  std::vector<std::string> programs;
  std::vector<fs::path> known;
  for (const fs::path& program : found) {
    std::error_code error;
    const fs::path itself = fs::canonical(program, error);
    if (error || std::ranges::find(known, itself) != known.end()) continue;
    known.push_back(itself);
    programs.push_back(program.string());
  }
  return programs;
}

std::string version_of_nvcc(std::string_view text) {
  constexpr std::string_view kRelease = "release ";
  const std::size_t at = text.find(kRelease);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + kRelease.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

bool is_version(std::string_view have, std::string_view asked) {
  if (asked.empty() || !have.starts_with(asked)) return false;
  return have.size() == asked.size() || have[asked.size()] == '.';
}

}  // namespace nightshift::evaluator::cuda
