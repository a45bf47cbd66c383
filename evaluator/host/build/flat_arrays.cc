#include "evaluator/host/build/flat_arrays.h"

#include <string_view>

#include "base/text.h"
#include "evaluator/process/compiler_run.h"
#include "problems/cuda_source/cuda_source.h"
#include "problems/cuda_source/cuda_types.h"

namespace nightshift::evaluator {

std::vector<bool> flat_arrays(const std::string& source, const std::string& function,
                              const std::vector<search::Argument>& arguments) {
  const problems::CudaSourceScan scan = problems::scan_cuda_source(source);
  for (const problems::CudaKernel& one : scan.functions) {
    if (one.name != function || one.parameters.size() != arguments.size()) continue;
    const problems::TypeNames names = problems::type_names(scan, one, "");
    std::vector<bool> flat;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto type = problems::plain_type(one.parameters[i].type, names);
      const bool is_of_arrays = one.parameters[i].extents > 1 && type && type->pointer;
      flat.push_back(is_of_arrays && !arguments[i].scalar);
    }
    return flat;
  }
  return {};
}

std::string pointer_clash(const std::string& function, const std::string& complaint) {
  const std::string_view error = first_error(complaint);
  const bool is_of_pointer =
      base::first_line(error).find("incompatible pointer type") != std::string_view::npos;
  // In a line of the wrapper's; of a line of the source the compiler says all.
  if (!is_of_pointer || error.find("nightshift_") == std::string_view::npos) return "";
  return function +
         " takes a vector as something else than a pointer to its elements, or its source does not "
         "show that: in C a parameter is 'float *A', 'float A[N]', 'float A[N][M]' or 'float "
         "(*A)[M]', without a typedef or macro for the array. Let a function of that form call " +
         function + ", and name it in the problem file.\n";
}

}  // namespace nightshift::evaluator
