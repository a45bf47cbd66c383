#include "tools/table/kept/size_free.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "base/text.h"

namespace nightshift::tools {
namespace {

bool is_part_of_name(char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_part_of_name(text[end]))) return true;
  }
  return false;
}

bool names_a_size(const search::HostBackend& host, const search::HostSource& source) {
  return std::ranges::any_of(host.cases.front(), [&](const auto& size) {
    const auto names = [&](const std::string& text) { return has_word(text, size.first); };
    return names(source.function) || std::ranges::any_of(source.flags, names);
  });
}

}  // namespace

bool is_built_without_sizes(const search::Problem& problem) {
  const auto* host = std::get_if<search::HostBackend>(&problem.backend);
  return host != nullptr && host->names == search::SourceNames::kNone &&
         !names_a_size(*host, host->kernel) && !names_a_size(*host, host->baseline) &&
         !names_a_size(*host, host->reference);
}

}  // namespace nightshift::tools
