#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "problems/cuda_source/cuda_source.h"
#include "search/element_type.h"

namespace nightshift::problems {

// A parameter of a kernel that needs no words: a pointer to numbers, or a number.
struct PlainType {
  search::ElementType type{};
  bool pointer = false;
  bool is_const = false;  // what it points to
};

// What names in types mean: template parameters of an instance, and aliases of the source that mean
// one thing alone.
using TypeNames = std::map<std::string, std::string, std::less<>>;
// Of `instance`, such as "scale<float, BM>", and the kernel that it is an instance of.
TypeNames type_names(const CudaSourceScan& scan, const CudaKernel& kernel,
                     std::string_view instance);

// nullopt: the type is another one, or cannot be told without a compiler.
std::optional<PlainType> plain_type(std::string_view type, const TypeNames& names);

// "float", "half"
std::string_view cuda_name(search::ElementType type);

}  // namespace nightshift::problems
