#pragma once

#include <string>
#include <utility>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {

constexpr const char* kDoublingReference =
    "void doubled_reference(const double* x, double* y, long n) {\n"
    "  for (long i = 0; i < n; ++i) y[i] = 2 * x[i];\n"
    "}\n";

inline search::Argument vector_argument(const std::string& name, search::Argument::Access access) {
  search::Argument a;
  a.name = name;
  a.access = access;
  a.size = search::Expression::parse("N");
  return a;
}

inline search::Argument scalar_argument(const std::string& name, const std::string& value) {
  search::Argument a;
  a.name = name;
  a.type = search::ElementType::kInt64;
  a.scalar = true;
  a.value = search::Expression::parse(value);
  return a;
}

// y = 2 x over N = 1000 floats, with `kernel` as the source of doubled(x, y, n).
inline search::Problem doubling_problem(const TemporaryFolder& folder, const std::string& kernel) {
  search::HostBackend host;
  host.kernel = {folder.write("doubled.cc", kernel), "doubled", {}};
  host.reference = {
      folder.write("doubled_reference.cc", kDoublingReference), "doubled_reference", {}};
  host.cases.front() = {{"N", 1000}};
  host.arguments = {vector_argument("x", search::Argument::Access::kIn),
                    vector_argument("y", search::Argument::Access::kOut),
                    scalar_argument("n", "N")};
  search::Problem problem;
  problem.name = "doubled";
  problem.backend = std::move(host);
  problem.parameters = {parameter("STEP", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}})};
  problem.sampling.samples = 5;
  problem.sampling.precision = 0;
  problem.sampling.warm_up_runs = 1;
  problem.sampling.warm_up_seconds = 0;
  problem.sampling.min_sample_seconds = 1e-6;
  return problem;
}

inline search::HostBackend& host_of(search::Problem& problem) {
  return std::get<search::HostBackend>(problem.backend);
}

inline std::string doubling(const std::string& body) {
  return "void doubled(const float* x, float* y, long n) {\n" + body + "\n}\n";
}
constexpr const char* kGoodLoop = "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];";

}  // namespace nightshift::evaluator
