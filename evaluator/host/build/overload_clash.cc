#include "evaluator/host/build/overload_clash.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/file_text.h"
#include "base/text.h"
#include "evaluator/host/build/host_wrapper.h"
#include "problems/cuda_source/cuda_source.h"
#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

constexpr const char* kUnknown = "...";

// The template of that name, where it is the only function that is called so.
const problems::CudaKernel* only_template(const problems::CudaSourceScan& scan,
                                          const std::string& name) {
  const problems::CudaKernel* only = nullptr;
  for (const problems::CudaKernel& function : scan.functions) {
    if (function.name != name) continue;
    if (only != nullptr) return nullptr;
    only = &function;
  }
  return only != nullptr && !only->template_parameters.empty() ? only : nullptr;
}

std::string element_type(const std::vector<search::Argument>& arguments, bool as_reference) {
  const auto vector = std::ranges::find(arguments, false, &search::Argument::scalar);
  if (vector == arguments.end() || !search::is_cpp_type(vector->type)) return kUnknown;
  if (as_reference && search::is_floating(vector->type)) return "double";
  return std::string(search::cpp_name_of(vector->type));
}

// "g<BM, float>"
std::string named(const problems::CudaKernel& function, const search::ToldNames& told,
                  const std::vector<search::Argument>& arguments, bool as_reference) {
  std::vector<std::string> names;
  for (const problems::CudaParameter& parameter : function.template_parameters) {
    const bool is_type = parameter.type == "typename" || parameter.type == "class";
    const bool is_told = std::ranges::find(told, parameter.name,
                                           &search::ToldNames::value_type::first) != told.end();
    names.push_back(is_told   ? parameter.name
                    : is_type ? element_type(arguments, as_reference)
                              : kUnknown);
  }
  return function.name + "<" + base::joined(names, ", ") + ">";
}

}  // namespace

std::string overload_clash(const search::HostSource& source, const search::ToldNames& told,
                           const std::vector<search::Argument>& arguments, bool as_reference,
                           const std::string& complaint) {
  const std::string_view first = base::first_line(complaint);  // of a broken source it is another
  if (first.find("nightshift_signature(") == std::string_view::npos) return "";
  const std::string text = base::text_if_there(source.file);
  const problems::CudaSourceScan scan = problems::scan_cuda_source(text);
  if (const problems::CudaKernel* function = only_template(scan, source.function)) {
    return "error: " + problems::signature_of(*function) + " in " +
           std::filesystem::path(source.file).filename().string() + ":" +
           std::to_string(function->line) + " is a template: write its arguments, function = \"" +
           named(*function, told, arguments, as_reference) + "\"\n";
  }
  return "error: " + source.function +
         " is overloaded or a template, and not one of it alone takes (" +
         listed_types(arguments, as_reference, true) +
         "), as the problem file lists its arguments. List what it takes, or name one, such as " +
         source.function + "<float>.\n";
}

}  // namespace nightshift::evaluator
