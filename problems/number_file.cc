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
#include <utility>

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

std::vector<std::byte> NumberFile::sample(std::uint64_t seed) const {
  const std::uint64_t bytes = elements_ * search::bytes_of(head_.type);
  std::vector<std::byte> numbers(bytes);
  std::ifstream file = opened(path_);
  file.seekg(static_cast<std::streamoff>(head_.offset + seed % samples() * bytes));
  file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(bytes));
  if (!file) throw NumberFileError("it has been cut off since it was opened");
  return numbers;
}

std::vector<double> NumberFile::numbers(std::uint64_t seed) const {
  const std::vector<std::byte> bytes = sample(seed);
  std::vector<double> numbers(elements_);
  if (head_.type == ElementType::kFloat16) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = of_half(loaded<std::uint16_t>(bytes, i));
    }
    return numbers;
  }
  search::with_cpp_type(head_.type, [&](auto tag) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<double>(loaded<typename decltype(tag)::Type>(bytes, i));
    }
  });
  return numbers;
}

}  // namespace nightshift::problems
