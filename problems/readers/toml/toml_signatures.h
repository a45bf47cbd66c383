#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/cuda_source/cuda_source.h"
#include "problems/cuda_source/cuda_types.h"
#include "problems/readers/table_reader.h"

namespace nightshift::problems {

// The kernels that the launches of a table have, as its source declares them: what the file need
// not say again.
class KernelSignatures {
 public:
  // Of [cuda] or [cuda.reference]. Reads the source; one that cannot be read has no kernels.
  KernelSignatures(const toml::table& table, const std::string& source);

  const CudaSourceScan& scan() const { return scan_; }
  // The names of a kernel's parameters, in order; nullopt with `why` where the source does not tell
  // them.
  std::optional<std::vector<std::string>> parameters(std::string_view kernel,
                                                     std::string& why) const;
  // What the launches take an argument for, by the parameters of their kernels. nullopt with `why`
  // where that is no plain type, or several.
  std::optional<search::ElementType> type_of(std::string_view argument, bool scalar,
                                             std::optional<search::ElementType> dtype,
                                             std::string& why) const;

 private:
  struct Launch {
    std::string kernel;
    std::vector<std::string> arguments;
  };
  const CudaKernel* kernel_of(std::string_view name, std::string& why) const;
  std::optional<search::ElementType> type_at(const Launch& launch, std::size_t position,
                                             bool scalar, std::optional<search::ElementType> dtype,
                                             std::string& why) const;

  std::string file_;
  CudaSourceScan scan_;
  std::vector<Launch> launches_;
};

}  // namespace nightshift::problems
