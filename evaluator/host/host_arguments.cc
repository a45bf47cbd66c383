#include "evaluator/host/host_arguments.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/rng.h"
#include "evaluator/answers/converted.h"
#include "evaluator/answers/verification.h"
#include "problems/number_file.h"
#include "search/element_type.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

using Access = search::Argument::Access;
using Fill = search::Argument::Fill;

template <class T>
T drawn(const search::Argument& argument, base::Rng& rng, std::size_t i) {
  switch (argument.fill) {
    case Fill::kConstant:
      return converted<T>(argument.low);
    case Fill::kNormal:
      return converted<T>(argument.low + argument.high * rng.normal());
    case Fill::kSequence:
      return converted<T>(static_cast<double>(i));
    case Fill::kUniform:
    case Fill::kBits:      // CUDA only
    case Fill::kComputed:  // CUDA only
    case Fill::kFile:      // not drawn
      break;
  }
  const double width = argument.high - argument.low;
  if constexpr (std::is_floating_point_v<T>) {
    return converted<T>(argument.low + width * rng.uniform());
  } else {
    return converted<T>(std::floor(argument.low + (width + 1) * rng.uniform()));
  }
}

template <class T>
T number_at(const std::vector<std::byte>& bytes, std::size_t i) {
  T number;
  std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
  return number;
}

// One that no operation makes: with the pattern in its low bits.
template <class T>
T not_a_number() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return std::bit_cast<T>(std::uint32_t{0x7fc5a5a5});
  } else {
    return std::bit_cast<T>(std::uint64_t{0x7ffda5a5a5a5a5a5});
  }
}

template <class T>
bool is_poison(std::span<const std::byte> bytes) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto nan = std::bit_cast<std::array<std::byte, sizeof(T)>>(not_a_number<T>());
    for (std::size_t at = 0; at < bytes.size(); at += nan.size()) {
      if (!std::ranges::equal(bytes.subspan(at, nan.size()), nan)) return false;
    }
    return true;
  } else {
    return std::ranges::all_of(bytes,
                               [](std::byte byte) { return byte == std::byte{kUnwrittenByte}; });
  }
}

template <class T>
void poison(std::span<std::byte> bytes) {
  if constexpr (std::is_floating_point_v<T>) {
    const T nan = not_a_number<T>();
    for (std::size_t at = 0; at < bytes.size(); at += sizeof nan) {
      std::memcpy(bytes.data() + at, &nan, sizeof nan);
    }
  } else {
    if (!bytes.empty()) std::memset(bytes.data(), kUnwrittenByte, bytes.size());
  }
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace

HostArguments::HostArguments(const std::vector<search::Argument>& arguments,
                             const std::vector<ArgumentShape>& shapes, std::uint64_t seed,
                             View view) {
  slots_.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Slot& slot = slots_[i];
    slot.argument = arguments[i];
    slot.scalar = shapes[i].scalar;
    slot.stored = slot.argument.type;
    if (slot.argument.scalar) {
      pointers_.push_back(slot.scalar.data());
      continue;
    }
    if (view == View::kReference && search::is_floating(slot.stored)) {
      slot.stored = search::ElementType::kFloat64;
    }
    slot.buffer = GuardedBuffer(shapes[i].elements * search::bytes_of(slot.stored));
    if (slot.argument.access != Access::kOut) fill(slot, base::mix_seed(seed, i), ends_of(seed));
    pointers_.push_back(slot.buffer.data());
  }
  poison_outputs();
}

void HostArguments::fill(Slot& slot, std::uint64_t seed, DrawEnds ends) {
  base::Rng rng(seed);
  const std::size_t elements = slot.buffer.size() / search::bytes_of(slot.stored);
  std::vector<std::byte> read;
  if (slot.argument.fill == Fill::kFile) {
    read = problems::NumberFile(slot.argument.file, elements).sample(seed, slot.argument.type);
  }
  const auto end = drawn_end(slot.argument, ends, elements);
  search::with_cpp_type(slot.argument.type, [&](auto kernel) {
    using Kernel = typename decltype(kernel)::Type;
    search::with_cpp_type(slot.stored, [&](auto stored) {
      using Stored = typename decltype(stored)::Type;
      const auto put = [&](std::size_t i, Kernel number) {
        const auto value = static_cast<Stored>(number);
        std::memcpy(slot.buffer.data() + i * sizeof value, &value, sizeof value);
      };
      for (std::size_t i = 0; i < elements; ++i) {
        put(i, read.empty() ? drawn<Kernel>(slot.argument, rng, i) : number_at<Kernel>(read, i));
      }
      if (end) put(end->at, converted<Kernel>(end->number));
    });
  });
  if (slot.argument.access == Access::kInOut) {
    slot.pristine.assign(slot.buffer.bytes().begin(), slot.buffer.bytes().end());
  } else {
    slot.input_hash = hash_of(slot.buffer.bytes());
  }
}

void HostArguments::poison_outputs() {
  for (Slot& slot : slots_) {
    if (slot.argument.scalar || slot.argument.access != Access::kOut) continue;
    search::with_cpp_type(
        slot.stored, [&](auto tag) { poison<typename decltype(tag)::Type>(slot.buffer.bytes()); });
  }
}

bool HostArguments::is_unwritten(std::size_t argument, std::size_t element) const {
  const Slot& slot = slots_[argument];
  const std::size_t bytes = search::bytes_of(slot.stored);
  if (slot.argument.scalar || slot.argument.access != Access::kOut) return false;
  if (bytes < kNoChance) return is_unwritten(argument);
  const auto one = slot.buffer.bytes().subspan(element * bytes, bytes);
  return search::with_cpp_type(
      slot.stored, [&](auto tag) { return is_poison<typename decltype(tag)::Type>(one); });
}

bool HostArguments::is_unwritten(std::size_t argument) const {
  const Slot& slot = slots_[argument];
  if (slot.argument.scalar || slot.argument.access != Access::kOut) return false;
  return slot.buffer.bytes().size() >= kNoChance &&
         search::with_cpp_type(slot.stored, [&](auto tag) {
           return is_poison<typename decltype(tag)::Type>(slot.buffer.bytes());
         });
}

std::vector<std::size_t> HostArguments::unwritten_elements(std::size_t argument) const {
  std::vector<std::size_t> elements;
  const Slot& slot = slots_[argument];
  const std::size_t bytes = search::bytes_of(slot.stored);
  if (slot.argument.scalar || slot.argument.access != Access::kOut || bytes < kNoChance) {
    return elements;
  }
  search::with_cpp_type(slot.stored, [&](auto tag) {
    const auto all = slot.buffer.bytes();
    for (std::size_t at = 0; at < all.size(); at += bytes) {
      const bool is_left = is_poison<typename decltype(tag)::Type>(all.subspan(at, bytes));
      if (is_left) elements.push_back(at / bytes);
    }
  });
  return elements;
}

bool HostArguments::has_inout() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return !slot.argument.scalar && slot.argument.access == Access::kInOut;
  });
}

bool HostArguments::is_as_it_was(std::size_t argument) const {
  const Slot& slot = slots_[argument];
  return !slot.pristine.empty() && std::ranges::equal(slot.buffer.bytes(), slot.pristine);
}

void HostArguments::restore() {
  for (Slot& slot : slots_) {
    if (!slot.pristine.empty()) {
      std::memcpy(slot.buffer.data(), slot.pristine.data(), slot.pristine.size());
    }
  }
}

void HostArguments::refill(std::uint64_t seed) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.argument.scalar || slot.argument.access == Access::kOut) continue;
    fill(slot, base::mix_seed(seed, i), ends_of(seed));
  }
}

void HostArguments::nudge(double share, std::uint64_t seed) {
  base::Rng rng(seed);
  for (Slot& slot : slots_) {
    const bool is_read = !slot.argument.scalar && slot.argument.access != Access::kOut;
    if (!is_read || !search::is_floating(slot.stored)) continue;
    search::with_cpp_type(slot.stored, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      for (std::size_t at = 0; at < slot.buffer.size(); at += sizeof(T)) {
        T number;
        std::memcpy(&number, slot.buffer.data() + at, sizeof number);
        const double factor = 1 + (rng.uniform() < 0.5 ? -share : share);
        number = static_cast<T>(static_cast<double>(number) * factor);
        std::memcpy(slot.buffer.data() + at, &number, sizeof number);
      }
    });
    if (slot.argument.access == Access::kIn) slot.input_hash = hash_of(slot.buffer.bytes());
  }
}

std::vector<double> HostArguments::numbers(std::size_t argument) const {
  const Slot& slot = slots_[argument];
  return search::with_cpp_type(slot.stored, [&](auto tag) -> std::vector<double> {
    using T = typename decltype(tag)::Type;
    std::vector<T> numbers(slot.buffer.size() / sizeof(T));
    if (!numbers.empty()) std::memcpy(numbers.data(), slot.buffer.data(), slot.buffer.size());
    return {numbers.begin(), numbers.end()};
  });
}

std::size_t HostArguments::most_read() const {
  std::size_t most = 0;
  for (const Slot& slot : slots_) {
    if (slot.argument.scalar || slot.argument.access == Access::kOut) continue;
    most = std::max(most, slot.buffer.size() / search::bytes_of(slot.stored));
  }
  return most;
}

void HostArguments::read_outputs(Contents& into) const {
  into.resize(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.argument.scalar || slot.argument.access == Access::kIn) continue;
    into[i].assign(slot.buffer.bytes().begin(), slot.buffer.bytes().end());
  }
}

void HostArguments::write(const Contents& from, bool only_outputs) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const bool skipped = only_outputs && slots_[i].argument.access != Access::kOut;
    if (skipped || from[i].empty()) continue;
    std::memcpy(slots_[i].buffer.data(), from[i].data(), from[i].size());
  }
}

void HostArguments::write_outputs(const Contents& from) { write(from, true); }
void HostArguments::put_back(const Contents& from) { write(from, false); }

std::string HostArguments::damage() const {
  for (const Slot& slot : slots_) {
    if (slot.argument.scalar) continue;
    if (!slot.buffer.intact()) {
      return "the kernel wrote outside of argument '" + slot.argument.name + "'";
    }
    if (slot.argument.access == Access::kIn && hash_of(slot.buffer.bytes()) != slot.input_hash) {
      return "the kernel wrote to argument '" + slot.argument.name +
             "', which the problem file calls an input (access = \"in\")";
    }
  }
  return {};
}

}  // namespace nightshift::evaluator
