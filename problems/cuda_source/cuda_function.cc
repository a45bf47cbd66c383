#include "problems/cuda_source/cuda_function.h"

namespace nightshift::problems {
namespace {

std::string listed(const std::vector<CudaParameter>& parameters) {
  std::string text;
  for (const CudaParameter& parameter : parameters) {
    text += (text.empty() ? "" : ", ") + parameter.type;
    const bool joins = parameter.type.ends_with('*') || parameter.type.ends_with('&');
    if (!parameter.name.empty()) text += (joins ? "" : " ") + parameter.name;
  }
  return text;
}

}  // namespace

std::string signature_of(const CudaKernel& kernel) {
  std::string text = kernel.name;
  if (!kernel.template_parameters.empty()) text += "<" + listed(kernel.template_parameters) + ">";
  return text + "(" + listed(kernel.parameters) + ")";
}

}  // namespace nightshift::problems
