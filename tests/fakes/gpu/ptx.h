#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fakes/gpu/include/fake_hooks.h"

// Inline PTX, as far as the catalogue's kernels use it. What counts for speed alone does nothing:
// policies of caches, prefetches, registers that warps hand to each other.
namespace fake_gpu {

// An argument of an instruction, without its brackets and braces.
struct Argument {
  enum class Kind : std::uint8_t { operand, local, number, cluster_rank } kind;
  std::uint64_t value = 0;  // number of the operand or of the local register, or itself
};

// What an instruction works on: operands of the program and registers of the text.
class Frame {
 public:
  Frame(const Operand* operands, std::uint64_t* locals) : operands_(operands), locals_(locals) {}
  void use(const std::vector<Argument>& arguments) { arguments_ = &arguments; }

  template <class T>
  T get(std::size_t i) const {
    T value{};
    const Operand from = memory(i);
    std::memcpy(&value, from.at, from.bytes < sizeof value ? from.bytes : sizeof value);
    return value;
  }
  std::size_t count() const { return arguments_->size(); }
  unsigned number(std::size_t i) const { return get<unsigned>(i); }
  unsigned char* address(std::size_t i) const {
    return reinterpret_cast<unsigned char*>(get<std::uint64_t>(i));
  }
  template <class T>
  void set(std::size_t i, T value) const {
    const Operand to = memory(i);
    std::memcpy(to.at, &value, to.bytes < sizeof value ? to.bytes : sizeof value);
  }

 private:
  Operand memory(std::size_t i) const;

  const Operand* operands_;
  std::uint64_t* locals_;
  const std::vector<Argument>* arguments_ = nullptr;
  mutable std::uint64_t number_ = 0;
};

using Operation = void (*)(const Frame& frame, std::string_view name);

struct KnownOperation;
struct Instruction {
  std::string name;
  const KnownOperation* known = nullptr;
  std::vector<Argument> arguments;
};
// The instructions of a text, in their order.
struct PtxText {
  std::vector<Instruction> instructions;
  std::size_t locals = 0;
};

PtxText read_ptx(std::string_view text);

// What a name begins with, its operation, and the first architecture that has it.
struct KnownOperation {
  std::string_view beginning;
  Operation operation;
  int architecture;
};
// nullptr: it is not known here.
const KnownOperation* operation_of(std::string_view name);
// The same among products of matrices (matrix_operations.cc).
const KnownOperation* matrix_operation_of(std::string_view name);

// Hooks::assemble.
void assemble(void** known, const char* text, const Operand* operands, unsigned count);

}  // namespace fake_gpu
