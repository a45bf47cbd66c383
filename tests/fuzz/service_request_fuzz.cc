// What clients of `nightshift serve` send: whatever it is, files stay in their folder, numbers are
// within their bounds, and what is wrong is said.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "tools/serve/service_request.h"

namespace {

using namespace nightshift::tools;

void expect(bool holds) {
  if (!holds) std::abort();
}

void expect_inside(const std::string& name) {
  if (name.empty()) return;
  const std::filesystem::path path = std::filesystem::path("/folder") / name;
  expect(path.lexically_normal().string().starts_with("/folder/"));
}

void expect_bounds(const CandidateRequest& request) {
  expect(!request.id.empty() && request.id.size() <= 200);
  expect(request.path.empty() != request.files.empty());
  for (const auto& [name, text] : request.files) expect_inside(name);
  expect(request.priority >= -1000 && request.priority <= 1000);
  expect(request.weight > 0 && std::isfinite(request.weight));
  expect(!request.deadline || (*request.deadline >= 0 && std::isfinite(*request.deadline)));
  expect(!request.most_time || (*request.most_time > 0 && std::isfinite(*request.most_time)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const ServiceRequest request = parse_request(line);
  if (const auto* bad = std::get_if<BadRequest>(&request)) expect(!bad->error.empty());
  if (const auto* candidate = std::get_if<CandidateRequest>(&request)) expect_bounds(*candidate);
  if (const auto* cancel = std::get_if<CancelRequest>(&request)) expect(!cancel->id.empty());
  return 0;
}
