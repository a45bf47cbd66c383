#include "tools/kernels/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "evaluator/kernel_build.h"
#include "search/value.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using evaluator::KernelPlan;

constexpr std::size_t kAlignment = 64;  // bytes, of machine code in the file

constexpr std::size_t kDigits = 12;  // of a number that is filled in last

// Words of a line have blanks between them.
const std::string& word(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != 0x7f;
  });
  if (plain) return text;
  throw UsageError("'" + one_line(text) +
                   "' has blanks, which a name in a file of kernels has not");
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string joined(const std::array<std::string, 3>& programs) {
  return programs[0] + " " + programs[1] + " " + programs[2];
}

std::string text_of(const KernelPlan::Taken& taken) {
  using Kind = KernelPlan::Taken::Kind;
  if (taken.kind == Kind::kLiteral) return fmt::format(" x{:016x}", taken.value);
  return fmt::format(" {}{}", taken.kind == Kind::kArgument ? 'a' : 'm', taken.value);
}

std::string text_of(const KernelPlan::Map& map) {
  std::string text = fmt::format("map {} {} {} {} {}", map.argument, map.type, map.swizzle,
                                 map.l2_promotion, map.extent.size());
  for (const auto* list : {&map.extent, &map.pitch, &map.boxes}) {
    for (const std::string& program : *list) text += " " + program;
  }
  return text + "\n";
}

std::string text_of(const KernelPlan::Launch& launch) {
  std::string text =
      fmt::format("launch {} {} {} {}\ngrid {}\nblock {}\ncluster {}\ntakes", word(launch.symbol),
                  launch.when, launch.shared_bytes, launch.programmatic, joined(launch.grid),
                  joined(launch.block), joined(launch.cluster));
  for (const KernelPlan::Taken& taken : launch.takes) text += text_of(taken);
  return text + "\n";
}

std::string text_of(const KernelVariant& variant, std::size_t code) {
  std::string text = fmt::format("variant {} {}\n", code, word(variant.role));
  for (const auto& [name, value] : variant.configuration.entries()) {
    text += "value " + one_line(name) + " " + one_line(search::to_text(value)) + "\n";
  }
  for (const KernelPlan::Argument& argument : variant.plan.arguments) {
    text += "extent " + argument.extent + "\n";
  }
  for (const KernelPlan::Map& map : variant.plan.maps) text += text_of(map);
  for (const KernelPlan::Launch& launch : variant.plan.launches) text += text_of(launch);
  return text;
}

std::string head_of(const KernelFile& file) {
  std::string problem = file.problem;
  std::ranges::replace(problem, ' ', '-');
  std::string text = "problem " + word(problem) + "\n";
  for (const auto& [key, note] : file.notes) text += "note " + key + " " + one_line(note) + "\n";
  const bool exact = evaluator::is_for_one_architecture(file.architecture);
  text += fmt::format("architecture {} {} {}\nsizes", file.architecture / 10,
                      file.architecture % 10, exact ? "exact" : "later");
  for (const std::string& size : file.sizes) text += " " + word(size);
  text += "\n";
  for (const KernelPlan::Argument& a : file.variants.front().plan.arguments) {
    text +=
        fmt::format("argument {} {} {} {} {}\n", a.scalar ? "scalar" : "vector", a.type,
                    a.scalar ? "-" : a.access, a.fill.empty() ? "-" : hex(a.fill), word(a.name));
  }
  return text;
}

std::string choice_of(const KernelFile& file) {
  std::string text;
  for (const KernelFile::Row& row : file.rows) {
    text += "row " + std::to_string(row.variant);
    for (const std::int64_t size : row.sizes) text += " " + std::to_string(size);
    text += "\n";
  }
  return text + "otherwise " + file.otherwise + "\nend\n";
}

std::size_t aligned(std::size_t at) { return (at + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

std::string kernel_file_bytes(const KernelFile& file) {
  std::vector<std::string_view> codes;
  std::string variants;
  for (const KernelVariant& variant : file.variants) {
    const auto known = std::ranges::find(codes, std::string_view(variant.plan.cubin));
    variants += text_of(variant, static_cast<std::size_t>(known - codes.begin()));
    if (known == codes.end()) codes.emplace_back(variant.plan.cubin);
  }
  const std::string head = head_of(file), choice = choice_of(file);
  const std::string first =
      fmt::format("{} {:0{}} {:0{}}\n", kKernelFileVersion, 0, kDigits, 0, kDigits);
  const auto line = [](std::size_t offset, std::size_t bytes) {
    return fmt::format("code {:0{}} {}\n", offset, kDigits, bytes);
  };
  std::size_t header = first.size() + head.size() + variants.size() + choice.size();
  for (const std::string_view code : codes) header += line(0, code.size()).size();
  std::string lines, blobs;
  std::size_t at = aligned(header);
  for (const std::string_view code : codes) {
    lines += line(at, code.size());
    blobs.append(at - header - blobs.size(), '\0').append(code);
    at = aligned(at + code.size());
  }
  return fmt::format("{} {:0{}} {:0{}}\n", kKernelFileVersion, header, kDigits,
                     header + blobs.size(), kDigits) +
         head + lines + variants + choice + blobs;
}

}  // namespace nightshift::tools
