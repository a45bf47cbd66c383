#include "tests/fakes/gpu/ptx.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "tests/fakes/gpu/fake_machine.h"
#include "tests/fakes/gpu/thread_blocks.h"

namespace fake_gpu {
namespace {

constexpr std::size_t kMostLocals = 16;

std::string_view trimmed(std::string_view text, std::string_view what) {
  const std::size_t first = text.find_first_not_of(what);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(what) - first + 1);
}

Argument read_argument(const std::string& word, std::map<std::string, std::uint64_t>& locals) {
  using Kind = Argument::Kind;
  if (word == "%%cluster_ctarank") return {Kind::cluster_rank};
  if (word[0] == '%') return {Kind::operand, std::strtoull(word.c_str() + 1, nullptr, 10)};
  if (word[0] >= '0' && word[0] <= '9')
    return {Kind::number, std::strtoull(word.c_str(), nullptr, 0)};
  return {Kind::local, locals.try_emplace(word, locals.size()).first->second};
}

// One statement, without its semicolon.
Instruction read_instruction(std::string_view statement,
                             std::map<std::string, std::uint64_t>& locals) {
  Instruction instruction;
  const std::size_t name_end = statement.find_first_of(" \t\n");
  instruction.name = statement.substr(0, name_end);
  instruction.known = operation_of(instruction.name);
  if (name_end == std::string_view::npos) return instruction;
  constexpr std::string_view kBetween = " \t\n,|[]{}";
  std::string_view left = statement.substr(name_end);
  while (true) {
    const std::size_t begin = left.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return instruction;
    left.remove_prefix(begin);
    const std::size_t end = std::min(left.find_first_of(kBetween), left.size());
    instruction.arguments.push_back(read_argument(std::string(left.substr(0, end)), locals));
    left.remove_prefix(end);
  }
}

}  // namespace

Operand Frame::memory(std::size_t i) const {
  const Argument& argument = (*arguments_)[i];
  switch (argument.kind) {
    case Argument::Kind::operand:
      return operands_[argument.value];
    case Argument::Kind::local:
      return {&locals_[argument.value], sizeof *locals_};
    case Argument::Kind::number:
      number_ = argument.value;
      break;
    case Argument::Kind::cluster_rank:
      number_ = current().block->rank;
      break;
  }
  return {&number_, sizeof number_};
}

PtxText read_ptx(std::string_view text) {
  PtxText read;
  std::map<std::string, std::uint64_t> locals;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    std::string_view statement = trimmed(text.substr(begin, end - begin), " \t\n");
    while (!statement.empty() && (statement[0] == '{' || statement[0] == '}')) {
      statement = trimmed(statement.substr(1), " \t\n");
    }
    if (!statement.empty() && !statement.starts_with(".reg")) {
      read.instructions.push_back(read_instruction(statement, locals));
    }
    begin = end + 1;
  }
  read.locals = locals.size();
  return read;
}

void assemble(void** known, const char* text, const Operand* operands, unsigned) {
  if (*known == nullptr) *known = new PtxText(read_ptx(text));  // as long as the process
  const auto& read = *static_cast<const PtxText*>(*known);
  if (read.locals > kMostLocals) fail(kIllegalInstruction, text);
  std::uint64_t locals[kMostLocals] = {};
  Frame frame(operands, locals);
  for (const Instruction& instruction : read.instructions) {
    if (instruction.known == nullptr) {
      fail(kIllegalInstruction, ("does not know the instruction " + instruction.name).c_str());
    }
    if (Machine::get().devices.front().architecture < instruction.known->architecture) {
      fail(kIllegalInstruction, (instruction.name + " is for later devices").c_str());
    }
    frame.use(instruction.arguments);
    instruction.known->operation(frame, instruction.name);
  }
}

}  // namespace fake_gpu
