#include "tools/code/code_listing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Calls `line` with each line, without its end.
template <class F>
void each_line(std::string_view text, F line) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, std::min(text.find(' '), text.size()));
}

// The part behind "  1100:\t"; nullopt where the line is no instruction.
std::optional<std::string_view> behind_address(std::string_view line) {
  const std::string_view text = base::trimmed(line);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  if (!std::ranges::all_of(text.substr(0, colon), is_hex)) return std::nullopt;
  return base::trimmed(text.substr(colon + 1));
}

// The name in "0000000000001100 <name>:"; empty where the line is no label.
std::string_view label_of(std::string_view line) {
  const std::size_t open = line.find(" <");
  if (open == std::string_view::npos || open == 0 || !line.ends_with(">:")) return {};
  if (!std::ranges::all_of(line.substr(0, open), is_hex)) return {};
  return line.substr(open + 2, line.size() - open - 4);
}

// Of a host: "jne 1140 <f+0x40>" and "0xee1(%rip)" lose what the linker chose.
std::string normal_of_host(std::string_view text) {
  std::string out(text);
  if (const std::size_t rip = out.find("(%rip)"); rip != std::string::npos) {
    std::size_t begin = rip;
    while (begin > 0 &&
           (is_hex(out[begin - 1]) || out[begin - 1] == 'x' || out[begin - 1] == '-')) {
      --begin;
    }
    out.replace(begin, rip - begin, "<>");
    return out;
  }
  if (const std::size_t open = out.find(" <"); open != std::string::npos) {
    std::size_t begin = open;
    while (begin > 0 && is_hex(out[begin - 1])) --begin;
    std::string name = out.substr(open + 2, out.rfind('>') - open - 2);
    if (const std::size_t plus = name.rfind("+0x"); plus != std::string::npos) name.erase(plus);
    // A jump within a function says nothing of where; a call says whom.
    out.replace(begin, std::string::npos, out.starts_with("call") ? "<" + name + ">" : "<>");
  }
  return out;
}

std::string normal_of_sass(std::string_view text) {
  std::string out(text);
  std::string_view word = first_word(text);
  std::size_t at = 0;
  if (word.starts_with("@")) {
    at = std::min(word.size() + 1, text.size());
    word = first_word(text.substr(at));
  }
  constexpr std::array kJumps = {"BRA", "BSSY", "CALL", "JMP", "BRX", "RET", "BREAK"};
  const bool jumps =
      std::ranges::any_of(kJumps, [&](std::string_view jump) { return word.starts_with(jump); });
  if (!jumps) return out;
  if (const std::size_t target = out.find("0x", at); target != std::string::npos) {
    std::size_t end = target + 2;
    while (end < out.size() && is_hex(out[end])) ++end;
    out.replace(target, end - target, "<>");
  }
  return out;
}

// "NAME" of ".visible .entry NAME(" and ".func (.reg .b32 r) NAME("; empty where there is none.
std::string ptx_function(std::string_view line) {
  if (!line.starts_with(".")) return {};
  std::size_t at = line.find(".entry ");
  if (at == std::string_view::npos) at = line.find(".func ");
  if (at == std::string_view::npos || line.ends_with(";")) return {};
  std::string_view rest = base::trimmed(line.substr(line.find(' ', at)));
  if (rest.starts_with("("))
    rest = base::trimmed(rest.substr(std::min(rest.find(')'), rest.size() - 1) + 1));
  return std::string(rest.substr(0, rest.find_first_of("( ")));
}

// "%rd12" is "%rd", "$L__BB0_3" is "$L".
std::string normal_of_ptx(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    out += c;
    ++i;
    if (c != '%' && c != '$') continue;
    while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0)
      out += text[i++];
    const bool is_label = c == '$';
    while (i < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[i])) != 0 ||
            (is_label &&
             (text[i] == '_' || std::isalpha(static_cast<unsigned char>(text[i])) != 0)))) {
      ++i;
    }
  }
  return out;
}

bool is_of_every_object(std::string_view function) {
  constexpr std::array kKnown = {"deregister_tm_clones",
                                 "register_tm_clones",
                                 "__do_global_dtors_aux",
                                 "frame_dummy",
                                 "_init",
                                 "_fini"};
  return std::ranges::find(kKnown, function) != kKnown.end();
}

void drop_padding(CodeFunction& function) {
  const auto is_nop = [](const CodeInstruction& i) {
    return i.text.find("nop") != std::string::npos || i.text.starts_with("NOP") ||
           i.text == "xchg %ax,%ax";
  };
  while (!function.instructions.empty() && is_nop(function.instructions.back())) {
    function.instructions.pop_back();
  }
}

std::uint64_t number_behind(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  std::uint64_t number = 0;
  if (at != std::string_view::npos) {
    const std::string_view rest = line.substr(at + key.size());
    std::from_chars(rest.data(), rest.data() + rest.size(), number);
  }
  return number;
}

void read_resources(std::string_view text, CodeListing& listing) {
  std::string function;
  each_line(text, [&](std::string_view line) {
    line = base::trimmed(line);
    if (line.starts_with("Function ") && line.ends_with(":")) {
      function = one_line(line.substr(9, line.size() - 10));
    } else if (!function.empty() && line.starts_with("REG:")) {
      listing.resources[function] = {number_behind(line, "REG:"), number_behind(line, "STACK:"),
                                     number_behind(line, "LOCAL:"), number_behind(line, "SHARED:")};
      function.clear();
    }
  });
}

}  // namespace

CodeListing listing_of_objdump(std::string_view text) {
  CodeListing listing;
  bool in_code = false;
  CodeFunction* function = nullptr;
  each_line(text, [&](std::string_view line) {
    constexpr std::string_view kSection = "Disassembly of section ";
    if (line.starts_with(kSection)) {
      in_code = line.substr(kSection.size()).starts_with(".text");
      function = nullptr;
    } else if (const std::string_view name = label_of(line); !name.empty()) {
      const bool shown = in_code && !is_of_every_object(name);
      function = shown ? &listing.functions.emplace_back() : nullptr;
      if (shown) function->name = one_line(name);
    } else if (const auto code = behind_address(line); code && function != nullptr) {
      std::string shown = one_line(code->substr(0, code->find('#')));
      if (shown.empty()) return;
      std::string normal = normal_of_host(shown);
      function->instructions.push_back({std::move(shown), std::move(normal)});
    }
  });
  for (CodeFunction& f : listing.functions) drop_padding(f);
  return listing;
}

CodeListing listing_of_ptx(std::string_view text) {
  CodeListing listing;
  CodeFunction* function = nullptr;
  std::string open;  // an instruction that goes on in the next line
  each_line(text, [&](std::string_view line) {
    line = base::trimmed(line.substr(0, line.find("//")));
    if (const std::string name = ptx_function(line); !name.empty()) {
      function = &listing.functions.emplace_back();
      function->name = one_line(name);
      open.clear();
      return;
    }
    const bool is_code = !line.empty() && !line.starts_with(".") && !line.ends_with(":") &&
                         line.find_first_not_of("{}()") != std::string_view::npos;
    if (function == nullptr || (open.empty() && !is_code)) return;
    open += (open.empty() ? "" : " ") + std::string(line);
    if (!open.ends_with(";")) return;
    std::string shown = one_line(std::string_view(open).substr(0, open.size() - 1));
    open.clear();
    if (base::trimmed(shown).empty()) return;
    std::string normal = normal_of_ptx(shown);
    function->instructions.push_back({std::move(shown), std::move(normal)});
  });
  return listing;
}

CodeListing listing_of_cuobjdump(std::string_view sass, std::string_view resources) {
  CodeListing listing;
  CodeFunction* function = nullptr;
  each_line(sass, [&](std::string_view line) {
    line = base::trimmed(line);
    constexpr std::string_view kFunction = "Function : ";
    if (line.starts_with(kFunction)) {
      function = &listing.functions.emplace_back();
      function->name = one_line(line.substr(kFunction.size()));
      return;
    }
    // "/*0010*/   S2R R5, SR_CTAID.X ;   /* 0x... */"; lines of encoding alone have no ';'.
    const std::size_t close = line.find("*/"), end = line.find(';');
    if (function == nullptr || !line.starts_with("/*") || end == std::string_view::npos) return;
    if (close == std::string_view::npos || close + 2 > end) return;
    std::string shown = one_line(line.substr(close + 2, end - close - 2));
    if (shown.empty()) return;
    std::string normal = normal_of_sass(shown);
    function->instructions.push_back({std::move(shown), std::move(normal)});
  });
  for (CodeFunction& f : listing.functions) drop_padding(f);
  read_resources(resources, listing);
  return listing;
}

}  // namespace nightshift::tools
