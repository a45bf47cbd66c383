#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::tools {

struct CodeInstruction {
  std::string text;    // as the disassembler prints it, without address and comment
  std::string normal;  // without what differs between two builds of the same code: targets of
                       // branches and offsets to data are <>
  friend bool operator==(const CodeInstruction&, const CodeInstruction&) = default;
};

// What a function of a GPU takes, as cuobjdump says.
struct CodeResources {
  std::uint64_t registers = 0;     // a thread
  std::uint64_t stack_bytes = 0;   // a thread; spills are there
  std::uint64_t local_bytes = 0;   // a thread
  std::uint64_t shared_bytes = 0;  // a block, static
  friend bool operator==(const CodeResources&, const CodeResources&) = default;
};

struct CodeFunction {
  std::string name;
  std::vector<CodeInstruction> instructions;
};

enum class CodeKind : std::uint8_t { kHost, kSass, kPtx };

struct CodeListing {
  std::vector<CodeFunction> functions;
  std::map<std::string, CodeResources> resources;  // by function
};

// What `objdump -d -w --no-show-raw-insn` prints. The functions that compilers add to every shared
// object, and those of other sections than the code, are left out. Any text is a listing.
CodeListing listing_of_objdump(std::string_view text);
// What `cuobjdump -sass` and `cuobjdump -res-usage` print. Any text is a listing.
CodeListing listing_of_cuobjdump(std::string_view sass, std::string_view resources);

// PTX, of a compiler. Numbers of registers and of labels are no difference, since whatever comes in
// between changes all of those behind it. Any text is a listing.
CodeListing listing_of_ptx(std::string_view text);

// "global memory", "shared memory", "tensor", "fp32", "integer", "control" ... of an instruction.
std::string_view class_of(CodeKind kind, const CodeInstruction& instruction);

// How many instructions there are of each class.
using CodeMix = std::map<std::string, std::size_t>;
CodeMix mix_of(CodeKind kind, const CodeListing& listing);

}  // namespace nightshift::tools
