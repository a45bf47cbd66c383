#pragma once

#include <string>
#include <vector>

#include "evaluator/cuda/cuda_figures.h"
#include "evaluator/cuda/driver/context.h"
#include "search/argument.h"

namespace nightshift::evaluator::cuda {

// What a device computes at most: operations a second of the narrowest numbers that a kernel reads,
// by dense tensor instructions where it has them for these, else by multiply-adds (NVIDIA's
// architecture papers and tuning guides), at its highest clock. 0 where it is not known.
struct ArithmeticCeiling {
  double per_second = 0;
  std::string numbers;  // "bfloat16 products"
};
ArithmeticCeiling arithmetic_ceiling(const std::vector<search::Argument>& arguments,
                                     const Context& context);

// "97.3 % of a copy (4053 GB/s), 62.1 % of dense bfloat16 products (614 TFLOPS)", of all cases
// together; empty where the problem says neither `bytes` nor `flops`.
std::string ceilings_text(const EvaluationFindings& findings, const ArithmeticCeiling& arithmetic);

}  // namespace nightshift::evaluator::cuda
