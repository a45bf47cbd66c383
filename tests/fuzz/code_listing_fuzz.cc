// What a disassembler prints: whatever it is, names and instructions are fit for a terminal, each
// has a class, and a listing differs from itself in nothing.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/code/code_difference.h"
#include "tools/code/code_listing.h"

namespace {

using namespace nightshift::tools;

void expect(bool holds) {
  if (!holds) std::abort();
}

void expect_printable(const std::string& text) {
  for (const char c : text) expect(static_cast<unsigned char>(c) >= 32);
}

void look_at(CodeKind kind, const CodeListing& listing) {
  std::size_t instructions = 0;
  for (const CodeFunction& function : listing.functions) {
    expect_printable(function.name);
    instructions += function.instructions.size();
    for (const CodeInstruction& i : function.instructions) {
      expect_printable(i.text);
      expect(!i.text.empty() && !class_of(kind, i).empty());
    }
    const auto runs = difference(function.instructions, function.instructions);
    expect(runs.size() == (function.instructions.empty() ? 0U : 1U));
  }
  for (const auto& [name, count] : mix_of(kind, listing)) instructions -= count;
  expect(instructions == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  look_at(CodeKind::kHost, listing_of_objdump(text));
  look_at(CodeKind::kSass, listing_of_cuobjdump(text, text));
  look_at(CodeKind::kPtx, listing_of_ptx(text));
  return 0;
}
