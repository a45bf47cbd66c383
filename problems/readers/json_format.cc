#include "problems/readers/json_format.h"

#include <algorithm>

namespace nightshift::problems {

JsonFormat recognise(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const auto has = [&](std::string_view name) { return text.find(name) != std::string_view::npos; };
  if (begin == std::string_view::npos) return JsonFormat::kNone;
  if (text[begin] == '<' && has("<TuningData")) return JsonFormat::kKttXml;
  if (text[begin] != '{') return JsonFormat::kNone;
  if (has("\"ConfigurationSpace\"") || has("\"KernelSpecification\"")) return JsonFormat::kT1;
  if (has("\"cache\"") && (has("\"tune_params_keys\"") || has("\"tune_params\""))) {
    return JsonFormat::kKernelTunerCache;
  }
  if (has("\"results\"") && has("\"configuration\"")) return JsonFormat::kT4;
  if (has("\"Results\"") && has("\"Configuration\"")) return JsonFormat::kKtt;
  return JsonFormat::kUnknown;
}

TextPosition position_in(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(before.size() - line_start) + 1};
}

}  // namespace nightshift::problems
