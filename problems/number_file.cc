#include "problems/number_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "problems/readers/amount.h"
#include "search/value.h"

namespace nightshift::problems {
namespace {

using search::ElementType;

constexpr std::string_view kMagic = "\x93NUMPY";

// The types of numpy that are ours; '|' where the order of bytes means nothing.
constexpr std::array<std::pair<std::string_view, ElementType>, 12> kTypes = {{
    {"<f2", ElementType::kFloat16},
    {"<f4", ElementType::kFloat32},
    {"<f8", ElementType::kFloat64},
    {"|i1", ElementType::kInt8},
    {"<i2", ElementType::kInt16},
    {"<i4", ElementType::kInt32},
    {"<i8", ElementType::kInt64},
    {"|u1", ElementType::kUint8},
    {"|b1", ElementType::kUint8},
    {"<u2", ElementType::kUint16},
    {"<u4", ElementType::kUint32},
    {"<u8", ElementType::kUint64},
}};

// What follows "'KEY':" in the dictionary; nullopt where there is no such key.
std::optional<std::string_view> behind(std::string_view dictionary, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    const std::size_t at = dictionary.find(quoted);
    if (at == std::string_view::npos) continue;
    std::string_view rest = dictionary.substr(at + quoted.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
    return rest;
  }
  return std::nullopt;
}

std::string_view needed(std::string_view dictionary, std::string_view key) {
  const auto found = behind(dictionary, key);
  if (!found) throw NumberFileError("its head has no '" + std::string(key) + "'");
  return *found;
}

ElementType type_of(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(",}"));
  for (const auto& [name, type] : kTypes) {
    if (word.find(name) != std::string_view::npos) return type;
  }
  throw NumberFileError(
      "it has numbers of type " + std::string(word.substr(0, 24)) +
      "; integers and float16, float32 and float64 of little-endian order are read");
}

// The product of a shape such as "(3, 4)".
std::uint64_t product(std::string_view text) {
  if (text.empty() || text.front() != '(') throw NumberFileError("its shape is no tuple");
  text = text.substr(1, text.find(')') - 1);
  std::uint64_t elements = 1;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) return elements;
    std::uint64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc()) throw NumberFileError("its shape has what is no number");
    if (extent != 0 && elements > std::numeric_limits<std::uint64_t>::max() / extent) {
      throw NumberFileError("its shape has more numbers than can be");
    }
    elements *= extent;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

template <class T>
T loaded(const std::vector<std::byte>& bytes, std::size_t index) {
  T number;
  std::memcpy(&number, bytes.data() + index * sizeof number, sizeof number);
  return number;
}

double of_half(std::uint16_t bits) {
  const int exponent = bits >> 10U & 31U, mantissa = bits & 1023U;
  const double magnitude = exponent == 0   ? std::ldexp(mantissa, -24)
                           : exponent < 31 ? std::ldexp(1024 + mantissa, exponent - 25)
                           : mantissa == 0 ? std::numeric_limits<double>::infinity()
                                           : std::numeric_limits<double>::quiet_NaN();
  return bits >> 15U ? -magnitude : magnitude;
}

// Calls `visit` with each number of `type` and its place.
template <class Visit>
void for_each(const std::vector<std::byte>& bytes, ElementType type, Visit visit) {
  const std::size_t count = bytes.size() / search::bytes_of(type);
  if (type == ElementType::kFloat16) {
    for (std::size_t i = 0; i < count; ++i) visit(i, of_half(loaded<std::uint16_t>(bytes, i)));
    return;
  }
  search::with_cpp_type(type, [&](auto tag) {
    for (std::size_t i = 0; i < count; ++i) {
      visit(i, loaded<typename decltype(tag)::Type>(bytes, i));
    }
  });
}

// `number` is one that To goes to.
template <class To, class From>
To nearest_of(From number) {
  constexpr bool kIsRounded = std::is_floating_point_v<From> && std::is_integral_v<To>;
  if constexpr (kIsRounded) return static_cast<To>(std::nearbyint(number));
  return static_cast<To>(number);
}

template <class From>
bool is_whole_in(From number, ElementType type) {
  return search::with_cpp_type(type, [&](auto tag) {
    using To = typename decltype(tag)::Type;
    if constexpr (std::is_integral_v<To>) return std::in_range<To>(number);
    return true;
  });
}

// Why `number` is none of `type`, as range_complaint() has it; empty where one is near.
template <class From>
std::string misfit(From number, ElementType type) {
  const auto wide = static_cast<double>(number);
  if constexpr (std::is_integral_v<From>) {
    if (!search::is_floating(type) && is_whole_in(number, type)) return {};
    return range_complaint(wide, type);
  }
  if (!search::is_floating(type)) {
    return std::isnan(wide) ? value_rule(type).otherwise
                            : range_complaint(std::nearbyint(wide), type);
  }
  const bool has_infinity = type != ElementType::kFloat8E4M3;
  return std::isnan(wide) || (std::isinf(wide) && has_infinity) ? "" : range_complaint(wide, type);
}

// Whether every number of `from` has one in `to` that is near.
bool holds_all(ElementType from, ElementType to) {
  if (from == to) return true;
  if (search::is_floating(from) && !search::is_floating(to)) return false;
  if (from == ElementType::kFloat16) return search::is_cpp_type(to);
  return search::with_cpp_type(from, [&](auto tag) {
    using Limits = std::numeric_limits<typename decltype(tag)::Type>;
    return misfit(Limits::lowest(), to).empty() && misfit(Limits::max(), to).empty();
  });
}

// All digits of a whole number.
template <class T>
std::string text_of(T number) {
  if constexpr (std::is_integral_v<T>) return std::to_string(number);
  return std::isnan(number) ? "NaN" : search::to_json(static_cast<double>(number));
}

// `first`: the place of the first in the file.
void expect_fit(const std::vector<std::byte>& numbers, ElementType from, ElementType to,
                std::uint64_t first) {
  if (holds_all(from, to)) return;
  for_each(numbers, from, [&](std::size_t i, auto number) {
    const std::string wrong = misfit(number, to);
    if (wrong.empty()) return;
    throw NumberFileError("its number " + std::to_string(first + i) + ", counted from 0, is " +
                          text_of(number) + wrong);
  });
}

std::ifstream opened(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw NumberFileError("it cannot be read");
  return file;
}

NumberHead head_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw NumberFileError("it cannot be read: " + error.message());
  std::string text(std::min<std::uintmax_t>(size, kMostHead), '\0');
  opened(path).read(text.data(), static_cast<std::streamsize>(text.size()));
  return number_head(text, size);
}

}  // namespace

NumberHead number_head(std::string_view head, std::uint64_t size) {
  if (!head.starts_with(kMagic) || head.size() < 12) {
    throw NumberFileError("it is no NPY file, which numpy.save writes");
  }
  const auto byte = [&](std::size_t at) {
    return std::uint64_t{static_cast<unsigned char>(head[at])};
  };
  const std::uint64_t version = byte(6);
  if (version < 1 || version > 3) {
    throw NumberFileError("it is of version " + std::to_string(version) +
                          " of NPY; 1 to 3 are read");
  }
  std::uint64_t length = byte(8) | byte(9) << 8U;
  if (version > 1) length |= byte(10) << 16U | byte(11) << 24U;
  NumberHead result;
  result.offset = length + (version == 1 ? 10 : 12);
  if (result.offset > head.size()) throw NumberFileError("its head is cut off, or too long");
  const std::string_view dictionary = head.substr(0, result.offset);
  result.type = type_of(needed(dictionary, "descr"));
  if (!needed(dictionary, "fortran_order").starts_with("False")) {
    throw NumberFileError("it is in Fortran's order; numpy.ascontiguousarray makes it ours");
  }
  result.elements = product(needed(dictionary, "shape"));
  if (result.elements > (size - result.offset) / search::bytes_of(result.type)) {
    throw NumberFileError("it has fewer numbers than its head says");
  }
  return result;
}

NumberFile::NumberFile(const std::string& path, std::uint64_t elements)
    : path_(path), elements_(elements), head_(head_of(path)) {
  if (head_.elements < elements_) {
    throw NumberFileError("it has " + std::to_string(head_.elements) + " numbers, and the vector " +
                          std::to_string(elements_));
  }
}

std::vector<std::byte> NumberFile::read(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t width = search::bytes_of(head_.type);
  std::vector<std::byte> numbers(count * width);
  std::ifstream file = opened(path_);
  file.seekg(static_cast<std::streamoff>(head_.offset + first * width));
  file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size()));
  if (!file) throw NumberFileError("it has been cut off since it was opened");
  return numbers;
}

std::vector<std::byte> NumberFile::sample(std::uint64_t seed) const {
  return read(seed % samples() * elements_, elements_);
}

std::vector<std::byte> NumberFile::sample(std::uint64_t seed, ElementType type) const {
  const std::uint64_t first = seed % samples() * elements_;
  std::vector<std::byte> from = read(first, elements_);
  if (head_.type == type) return from;
  expect_fit(from, head_.type, type, first);
  std::vector<std::byte> to(elements_ * search::bytes_of(type));
  search::with_cpp_type(type, [&](auto tag) {
    using To = typename decltype(tag)::Type;
    for_each(from, head_.type, [&](std::size_t i, auto number) {
      const To nearest = nearest_of<To>(number);
      std::memcpy(to.data() + i * sizeof nearest, &nearest, sizeof nearest);
    });
  });
  return to;
}

void NumberFile::expect_in(ElementType type) const {
  if (holds_all(head_.type, type)) return;
  constexpr std::uint64_t kAtOnce = 1 << 20;
  const std::uint64_t all = samples() * elements_;
  for (std::uint64_t first = 0; first < all; first += kAtOnce) {
    expect_fit(read(first, std::min(kAtOnce, all - first)), head_.type, type, first);
  }
}

}  // namespace nightshift::problems
