#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/aggregate.h"
#include "ipc/archive_bytes.h"
#include "ipc/messages.h"

namespace nightshift::ipc::codec {

// An io() function says what a type is made of: with a Writer it appends that, with a Reader it fills
// it. A struct is made of its members, one after another as it declares them: a new one needs no
// word here.

// The last enumerator of an enumeration that starts at 0 and has no gaps.
template <class Enum>
inline constexpr Enum kLast = Enum::kUndefined;

template <class Archive, class Struct>
void members(Archive& archive, Struct& of) {
  base::with_members(of, [&](auto&... each) { (io(archive, each), ...); });
}

// --- Scalars ---

template <class Archive, class T>
requires(std::integral<T> || std::floating_point<T>) void io(Archive& archive, T& value) {
  archive.raw(&value, sizeof value);
}

template <class Archive>
void io(Archive& archive, bool& value) {
  std::uint8_t byte = value ? 1 : 0;
  archive.raw(&byte, 1);
  if (byte > 1) throw DecodeError("neither true nor false");
  if constexpr (Archive::kReads) value = byte == 1;
}

template <class Archive, class Enum>
requires std::is_enum_v<Enum>
void io(Archive& archive, Enum& value) {
  auto number = static_cast<std::uint8_t>(value);
  archive.raw(&number, 1);
  if constexpr (Archive::kReads) {
    if (number > static_cast<std::uint8_t>(kLast<Enum>))
      throw DecodeError("enumerator out of range");
    value = static_cast<Enum>(number);
  }
}

// --- Structs ---

template <class Archive, class Struct>
requires std::is_aggregate_v<Struct>
void io(Archive& archive, Struct& of) { members(archive, of); }

// --- Containers: a count, then the elements ---

// The count of a sequence whose elements take at least `least` bytes each.
template <class Archive>
std::size_t io_count(Archive& archive, std::size_t count, std::size_t least) {
  auto number = static_cast<std::uint32_t>(count);
  archive.raw(&number, sizeof number);
  if constexpr (Archive::kReads) archive.need(std::uint64_t{number} * least);
  return number;
}

template <class Archive>
void io(Archive& archive, std::string& text) {
  const std::size_t size = io_count(archive, text.size(), 1);
  if constexpr (Archive::kReads) text.resize(size);
  archive.raw(text.data(), size);
}

template <class Archive, class T>
void io(Archive& archive, std::vector<T>& items) {
  if constexpr (std::is_arithmetic_v<T> && !std::same_as<T, bool>) {
    const std::size_t size = io_count(archive, items.size(), sizeof(T));
    if constexpr (Archive::kReads) items.resize(size);
    archive.raw(items.data(), size * sizeof(T));
  } else {
    const std::size_t size = io_count(archive, items.size(), 1);
    if constexpr (Archive::kReads) {
      items.clear();
      while (items.size() < size) io(archive, items.emplace_back());
    } else {
      for (T& item : items) io(archive, item);
    }
  }
}

template <class Archive, class T, std::size_t N>
void io(Archive& archive, std::array<T, N>& items) {
  for (T& item : items) io(archive, item);
}

template <class Archive, class A, class B>
void io(Archive& archive, std::pair<A, B>& pair) {
  io(archive, pair.first);
  io(archive, pair.second);
}

template <class Archive, class T>
void io(Archive& archive, std::optional<T>& value) {
  bool present = value.has_value();
  io(archive, present);
  if constexpr (Archive::kReads) {
    value.reset();
    if (present) value.emplace();
  }
  if (present) io(archive, *value);
}

template <class... Ts, std::size_t... Is>
void make_alternative(std::variant<Ts...>& value, std::size_t index, std::index_sequence<Is...>) {
  ((index == Is ? static_cast<void>(value.template emplace<Is>()) : static_cast<void>(0)), ...);
}

template <class Archive, class... Ts>
void io(Archive& archive, std::variant<Ts...>& value) {
  auto index = static_cast<std::uint8_t>(value.index());
  archive.raw(&index, 1);
  if constexpr (Archive::kReads) {
    if (index >= sizeof...(Ts)) throw DecodeError("no such alternative");
    make_alternative(value, index, std::index_sequence_for<Ts...>{});
  }
  std::visit([&](auto& alternative) { io(archive, alternative); }, value);
}

}  // namespace nightshift::ipc::codec
