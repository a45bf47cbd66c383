// Numbers as kernels take them: a part of kernels.h.
#pragma once

#include <cstring>
#include <limits>

#include "kernel_file.h"

namespace nightshift {

using ScalarBytes = std::array<unsigned char, 8>;

// A whole number within both bounds. Throws KernelError with `what`.
inline std::uint64_t whole_of(double value, double least, double most, const std::string& what) {
  if (value >= least && value <= most && value == std::floor(value)) {
    return static_cast<std::uint64_t>(value);
  }
  throw KernelError(what + ": " + std::to_string(value) + " is no whole number from " +
                    std::to_string(least) + " to " + std::to_string(most));
}

template <class Number>
ScalarBytes bytes_as(double value, const std::string& what) {
  using Limits = std::numeric_limits<Number>;
  if (Limits::is_integer && !(value == std::floor(value) && std::abs(value) <= 0x1p53 &&
                              value >= static_cast<double>(Limits::lowest()) &&
                              value <= static_cast<double>(Limits::max()))) {
    throw KernelError(what + ": " + std::to_string(value) + " does not fit its type");
  }
  const auto number = static_cast<Number>(value);
  ScalarBytes bytes{};
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

struct KernelType {
  std::size_t bytes;
  ScalarBytes (*scalar)(double value, const std::string& what);  // nullptr: of vectors alone
};

// Throws KernelError where there is no such type.
inline const KernelType& type_of(const std::string& name) {
  static const std::map<std::string, KernelType> known = {{"int8", {1, bytes_as<std::int8_t>}},
                                                          {"uint8", {1, bytes_as<std::uint8_t>}},
                                                          {"int16", {2, bytes_as<std::int16_t>}},
                                                          {"uint16", {2, bytes_as<std::uint16_t>}},
                                                          {"int32", {4, bytes_as<std::int32_t>}},
                                                          {"uint32", {4, bytes_as<std::uint32_t>}},
                                                          {"int64", {8, bytes_as<std::int64_t>}},
                                                          {"uint64", {8, bytes_as<std::uint64_t>}},
                                                          {"float32", {4, bytes_as<float>}},
                                                          {"float64", {8, bytes_as<double>}},
                                                          {"float16", {2, nullptr}},
                                                          {"bfloat16", {2, nullptr}},
                                                          {"float8_e4m3", {1, nullptr}},
                                                          {"float8_e5m2", {1, nullptr}}};
  const auto found = known.find(name);
  if (found == known.end()) throw KernelError("the type " + name + " is unknown");
  return found->second;
}
inline std::size_t bytes_of(const std::string& type) { return type_of(type).bytes; }

inline ScalarBytes scalar_of(const KernelArgument& argument, double value) {
  const auto scalar = type_of(argument.type).scalar;
  if (scalar == nullptr) throw KernelError(argument.name + " is no type of scalars");
  return scalar(value, argument.name);
}

// What a work vector of so many bytes begins with; empty: anything.
inline std::string filled(const KernelArgument& argument, std::size_t bytes) {
  std::string one, all;
  for (std::size_t i = 0; argument.fill != "-" && i + 1 < argument.fill.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(argument.fill.data() + i, argument.fill.data() + i + 2, value, 16);
    one += static_cast<char>(value);
  }
  while (!one.empty() && all.size() < bytes) all += one;
  return all;
}

}  // namespace nightshift
