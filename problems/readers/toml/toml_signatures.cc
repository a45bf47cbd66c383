#include "problems/readers/toml/toml_signatures.h"

#include <algorithm>
#include <filesystem>

#include "base/file_text.h"

namespace nightshift::problems {
namespace {

std::string said(const CudaParameter& parameter) { return parameter.type + " " + parameter.name; }

}  // namespace

KernelSignatures::KernelSignatures(const toml::table& table, const std::string& source)
    : file_(std::filesystem::path(source).filename().string()) {
  std::error_code error;
  if (std::filesystem::is_regular_file(source, error))
    scan_ = scan_cuda_source(base::text_if_there(source));
  const toml::array* launches = table["launch"].as_array();
  if (launches == nullptr) return;
  for (const toml::node& node : *launches) {
    const toml::table* entry = node.as_table();
    if (entry == nullptr) continue;
    Launch launch{(*entry)["kernel"].value_or(std::string()), {}};
    if (const toml::array* names = (*entry)["arguments"].as_array()) {
      for (const toml::node& name : *names)
        launch.arguments.push_back(name.value_or(std::string()));
    } else {
      std::string ignored;
      launch.arguments = parameters(launch.kernel, ignored).value_or(std::vector<std::string>());
    }
    launches_.push_back(std::move(launch));
  }
}

const CudaKernel* KernelSignatures::kernel_of(std::string_view name, std::string& why) const {
  const auto kernels = kernels_called(scan_, name);
  if (kernels.size() == 1) return kernels.front();
  why = file_ + (kernels.empty() ? " itself has no kernel " : " has several kernels ") +
        std::string(name.substr(0, name.find('<')));
  if (!scan_.unread.empty()) why += " (read up to " + scan_.unread + ")";
  return nullptr;
}

std::optional<std::vector<std::string>> KernelSignatures::parameters(std::string_view kernel,
                                                                     std::string& why) const {
  const CudaKernel* known = kernel_of(kernel, why);
  if (known == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const CudaParameter& parameter : known->parameters) names.push_back(parameter.name);
  return names;
}

std::optional<search::ElementType> KernelSignatures::type_at(
    const Launch& launch, std::size_t position, bool scalar,
    std::optional<search::ElementType> dtype, std::string& why) const {
  const CudaKernel* kernel = kernel_of(launch.kernel, why);
  if (kernel == nullptr) return std::nullopt;
  if (position >= kernel->parameters.size()) {
    why = signature_of(*kernel) + " has not so many parameters";
    return std::nullopt;
  }
  const CudaParameter& parameter = kernel->parameters[position];
  TypeNames names = type_names(scan_, *kernel, launch.kernel);
  if (dtype) names["DTYPE"] = cuda_name(*dtype);
  const auto plain = plain_type(parameter.type, names);
  if (!plain) {
    why = "'" + said(parameter) + "' of " + kernel->name + " (" + file_ + ":" +
          std::to_string(kernel->line) + ") is not plain";
    return std::nullopt;
  }
  if (plain->pointer == scalar) {
    why = "'" + said(parameter) + "' of " + kernel->name + " is " +
          (scalar ? "a pointer, and this has a 'value'" : "no pointer, and this has a 'size'");
    return std::nullopt;
  }
  return plain->type;
}

std::optional<search::ElementType> KernelSignatures::type_of(
    std::string_view argument, bool scalar, std::optional<search::ElementType> dtype,
    std::string& why) const {
  std::optional<search::ElementType> found;
  for (const Launch& launch : launches_) {
    const auto taken = std::ranges::find(launch.arguments, argument);
    if (taken == launch.arguments.end()) continue;
    const auto position = static_cast<std::size_t>(taken - launch.arguments.begin());
    const auto type = type_at(launch, position, scalar, dtype, why);
    if (!type) return std::nullopt;
    if (found && found != type) {
      why = "launches take it for several types";
      return std::nullopt;
    }
    found = type;
  }
  if (!found && why.empty()) why = "no [[cuda.launch]] takes it";
  return found;
}

}  // namespace nightshift::problems
