#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/answers/argument_shape.h"
#include "evaluator/answers/draw_ends.h"
#include "evaluator/answers/guarded_buffer.h"
#include "search/argument.h"
#include "search/element_type.h"
#include "search/problem/host_backend.h"

namespace nightshift::evaluator {

// The arguments of one evaluation. Inputs are the same for the same seed, whatever the
// configuration, and each argument has a stream of its own.
//
//   uniform   [low, high); integers [low, high]       constant  low
//   normal    mean low, standard deviation high       sequence  0, 1, 2, ...
// Integers are rounded and held in the range of their type.
class HostArguments {
 public:
  // As the kernel takes them, or as the reference does: the same numbers (rounded to the kernel's
  // type), floating vectors as double. Throws std::system_error without memory.
  enum class View : std::uint8_t { kKernel, kReference };
  HostArguments(const std::vector<search::Argument>& arguments,
                const std::vector<ArgumentShape>& shapes, std::uint64_t seed, View view);

  void** pointers() { return pointers_.data(); }
  // Outputs to a pattern: NaN where there is one. Then an element that is never written is wrong.
  void poison_outputs();
  // Whether an element of an output, or all of it, still has the pattern. Of narrow integers only
  // where all of it has: one element may be so by chance.
  bool is_unwritten(std::size_t argument, std::size_t element) const;
  bool is_unwritten(std::size_t argument) const;
  // Of an output, those that still have the pattern, ascending; none of narrow integers.
  std::vector<std::size_t> unwritten_elements(std::size_t argument) const;
  // Arguments that are both input and output, to their first contents.
  bool has_inout() const;
  bool is_as_it_was(std::size_t argument) const;  // of such a one: it has its first contents
  void restore();

  // Inputs, and what is both input and output, as another seed makes them, where they are.
  void refill(std::uint64_t seed);
  // Each floating number that the kernel reads, up or down by `share` of it, as `seed` draws.
  void nudge(double share, std::uint64_t seed);
  // Elements of the largest vector that the kernel reads; 0: it reads none.
  std::size_t most_read() const;
  // What stands in all that the kernel writes: outputs, and what is both input and output.
  using Contents = std::vector<std::vector<std::byte>>;
  void read_outputs(Contents& into) const;
  // Back to where it was: of outputs alone, before a call, or of all, to look at what a call left.
  void write_outputs(const Contents& from);
  void put_back(const Contents& from);

  const GuardedBuffer& buffer(std::size_t argument) const { return slots_[argument].buffer; }
  // What stands in a floating vector.
  std::vector<double> numbers(std::size_t argument) const;
  // How the kernel went beyond its rights: wrote outside of a vector, or to an input. Empty: it did
  // not.
  std::string damage() const;

 private:
  struct Slot {
    search::Argument argument;
    search::ElementType stored = search::ElementType::kFloat32;
    alignas(8) std::array<std::byte, 8> scalar{};
    GuardedBuffer buffer;
    std::vector<std::byte> pristine;  // of an argument that is input and output
    std::uint64_t input_hash = 0;     // of an input
  };
  void fill(Slot& slot, std::uint64_t seed, DrawEnds ends);
  void write(const Contents& from, bool only_outputs);

  std::vector<Slot> slots_;
  std::vector<void*> pointers_;
};

}  // namespace nightshift::evaluator
