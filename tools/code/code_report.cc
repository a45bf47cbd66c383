#include "tools/code/code_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "search/importance/one_code.h"
#include "tools/code/code_difference.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;
using Side = CodeRun::Side;

constexpr std::size_t kContext = 3;  // lines of both around a difference

CodeMix whole_mix(CodeKind kind, const CodeSide& side) {
  CodeMix all;
  for (const CodePart& part : side.parts) {
    for (const auto& [name, count] : mix_of(kind, part.listing)) all[name] += count;
  }
  return all;
}

std::string mix_text(const CodeReport& report) {
  std::vector<CodeMix> mixes;
  std::set<std::string> names;
  Rows rows = {{"instructions"}};
  for (const CodeSide& side : report.sides) {
    mixes.push_back(whole_mix(report.kind, side));
    for (const auto& [name, count] : mixes.back()) names.insert(name);
    rows[0].push_back(side.name);
  }
  std::vector<std::string> all = {"all"};
  for (const CodeMix& mix : mixes) {
    std::size_t sum = 0;
    for (const auto& [name, count] : mix) sum += count;
    all.push_back(format_count(sum));
  }
  rows.push_back(all);
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const CodeMix& mix : mixes) {
      const auto it = mix.find(name);
      row.push_back(it == mix.end() ? "-" : format_count(it->second));
    }
    rows.push_back(std::move(row));
  }
  return "\n" + table(rows, 2);
}

std::string resources_text(const CodeReport& report) {
  Rows rows = {
      {"of", "function", "registers", "stack (spills)", "local memory", "static shared memory"}};
  for (const CodeSide& side : report.sides) {
    for (const CodePart& part : side.parts) {
      for (const auto& [name, r] : part.listing.resources) {
        rows.push_back({side.name + " " + part.name, name, format_count(r.registers),
                        format_count(r.stack_bytes) + " B", format_count(r.local_bytes) + " B",
                        format_count(r.shared_bytes) + " B"});
      }
    }
  }
  return rows.size() == 1 ? "" : "\n" + table(rows, 2);
}

std::string head_text(const CodeSide& side) {
  std::string text =
      side.name + "  " +
      (side.configuration.is_baseline() ? "" : format_configuration(side.configuration)) +
      "\n  machine code " + side.hash + "\n";
  if (!side.measured.empty() && side.measured != side.hash) {
    text += "  the study measured other code, " + side.measured +
            ": the source or the compiler has changed since\n";
  }
  for (const CodePart& part : side.parts) {
    text +=
        "  " + (part.name.empty() ? "" : part.name + ": ") + format_count(part.bytes) + " bytes\n";
  }
  return text;
}

std::string listing_text(const CodeSide& side) {
  std::string text;
  for (const CodePart& part : side.parts) {
    for (const CodeFunction& function : part.listing.functions) {
      text += "\n" + function.name + (part.name.empty() ? "" : "  (" + part.name + ")") + "\n";
      for (const CodeInstruction& i : function.instructions) text += "    " + i.text + "\n";
    }
  }
  return text;
}

const std::vector<CodeInstruction>& code_of(const CodePart& part, std::size_t function) {
  static const std::vector<CodeInstruction> none;
  return function == std::string::npos ? none : part.listing.functions[function].instructions;
}

std::string lines(const std::vector<CodeInstruction>& code, std::size_t begin, std::size_t end,
                  const char* mark) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i)
    text += "  " + std::string(mark) + " " + code[i].text + "\n";
  return text;
}

// Of a run that both have: what stands next to a difference.
std::string common_text(const std::vector<CodeInstruction>& code, const CodeRun& run, bool first,
                        bool last) {
  const std::size_t end = run.begin + run.count;
  const std::size_t head = first ? 0 : kContext, tail = last ? 0 : kContext;
  if (run.count <= head + tail + 1) return lines(code, run.begin, end, " ");
  return lines(code, run.begin, run.begin + head, " ") + "    ... " +
         count_of(run.count - head - tail, "equal instruction") + "\n" +
         lines(code, end - tail, end, " ");
}

// Empty where both are equal.
std::string pair_text(const CodePart& first, const CodePart& second, const CodePair& pair) {
  const auto& a = code_of(first, pair.first);
  const auto& b = code_of(second, pair.second);
  const std::vector<CodeRun> runs = difference(a, b);
  if (std::ranges::all_of(runs, [](const CodeRun& run) { return run.side == Side::kBoth; })) {
    return {};
  }
  const auto name = [](const CodePart& part, std::size_t at) {
    return at == std::string::npos ? std::string("nothing") : part.listing.functions[at].name;
  };
  const std::string names[] = {name(first, pair.first), name(second, pair.second)};
  std::string text = "\n" + names[0] + (names[0] == names[1] ? "" : " -> " + names[1]) +
                     (second.name.empty() ? "" : "  (" + second.name + ")") + "\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const CodeRun& run = runs[i];
    if (run.side == Side::kBoth) {
      text += common_text(b, run, i == 0, i + 1 == runs.size());
    } else {
      const bool is_first = run.side == Side::kFirst;
      text += lines(is_first ? a : b, run.begin, run.begin + run.count, is_first ? "-" : "+");
    }
  }
  return text;
}

// Calls `pair` with the parts and functions that stand beside each other.
template <class F>
void each_pair(const CodeReport& report, F pair) {
  const CodeSide &first = report.sides[0], &second = report.sides[1];
  for (std::size_t i = 0; i < std::min(first.parts.size(), second.parts.size()); ++i) {
    for (const CodePair& p : paired(first.parts[i], second.parts[i])) {
      pair(first.parts[i], second.parts[i], p);
    }
  }
}

Json part_json(CodeKind kind, const CodePart& part) {
  Json json{{"name", part.name}, {"bytes", part.bytes}, {"mix", mix_of(kind, part.listing)}};
  Json functions = Json::array();
  for (const CodeFunction& function : part.listing.functions) {
    Json code = Json::array();
    for (const CodeInstruction& i : function.instructions) code.push_back(i.text);
    functions.push_back({{"name", function.name}, {"instructions", std::move(code)}});
    if (const auto r = part.listing.resources.find(function.name);
        r != part.listing.resources.end()) {
      functions.back()["resources"] = {{"registers", r->second.registers},
                                       {"stack_bytes", r->second.stack_bytes},
                                       {"local_bytes", r->second.local_bytes},
                                       {"shared_bytes", r->second.shared_bytes}};
    }
  }
  json["functions"] = std::move(functions);
  return json;
}

Json side_json(CodeKind kind, const CodeSide& side) {
  Json configuration = Json::object();
  for (const auto& [name, value] : side.configuration.entries()) {
    std::visit([&, key = name](const auto& v) { configuration[key] = v; }, value);
  }
  Json json{{"name", side.name}, {"configuration", std::move(configuration)}, {"hash", side.hash}};
  json["measured_hash"] = side.measured.empty() ? Json() : Json(side.measured);
  json["parts"] = Json::array();
  for (const CodePart& part : side.parts) json["parts"].push_back(part_json(kind, part));
  return json;
}

Json difference_json(const CodeReport& report) {
  Json all = Json::array();
  each_pair(report, [&](const CodePart& first, const CodePart& second, const CodePair& pair) {
    const auto name = [](const CodePart& part, std::size_t at) {
      return at == std::string::npos ? Json() : Json(part.listing.functions[at].name);
    };
    std::size_t removed = 0, added = 0;
    Json runs = Json::array();
    for (const CodeRun& run :
         difference(code_of(first, pair.first), code_of(second, pair.second))) {
      if (run.side == Side::kFirst) removed += run.count;
      if (run.side == Side::kSecond) added += run.count;
      const char* side = run.side == Side::kBoth    ? "both"
                         : run.side == Side::kFirst ? "first"
                                                    : "second";
      runs.push_back({{"side", side}, {"begin", run.begin}, {"count", run.count}});
    }
    all.push_back({{"part", second.name},
                   {"first", name(first, pair.first)},
                   {"second", name(second, pair.second)},
                   {"removed", removed},
                   {"added", added},
                   {"runs", std::move(runs)}});
  });
  return all;
}

}  // namespace

std::vector<CodePair> paired(const CodePart& first, const CodePart& second) {
  const auto &a = first.listing.functions, &b = second.listing.functions;
  std::vector<CodePair> pairs;
  std::vector<bool> taken(b.size());
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t j = 0;
    while (j < b.size() && (taken[j] || b[j].name != a[i].name)) ++j;
    if (j == b.size()) {
      left.push_back(i);
    } else {
      taken[j] = true;
      pairs.push_back({i, j});
    }
  }
  auto next = left.begin();
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (!taken[j]) pairs.push_back({next == left.end() ? std::string::npos : *next++, j});
  }
  for (; next != left.end(); ++next) pairs.push_back({*next, std::string::npos});
  return pairs;
}

std::string code_text(const CodeReport& report) {
  std::string text;
  for (const CodeSide& side : report.sides) text += head_text(side);
  if (!report.built_for.empty()) text += "built for " + report.built_for + "\n";
  if (report.sides.size() == 2 && report.sides[0].hash == report.sides[1].hash) {
    return text + "\n" + search::one_code_words("Both") + ".\n";
  }
  if (!report.untold.empty()) return text + "\nThe code cannot be shown: " + report.untold + "\n";
  text += mix_text(report) + resources_text(report);
  if (report.sides.size() == 1) return text + listing_text(report.sides[0]);
  std::string changes;
  each_pair(report, [&](const CodePart& first, const CodePart& second, const CodePair& pair) {
    changes += pair_text(first, second, pair);
  });
  return text +
         (changes.empty() ? "\nThe instructions are equal; what differs is data.\n" : changes);
}

Json code_json(const CodeReport& report) {
  Json json{{"study", report.study},
            {"kind", report.kind == CodeKind::kHost  ? "host"
                     : report.kind == CodeKind::kPtx ? "ptx"
                                                     : "cuda"}};
  if (!report.built_for.empty()) json["built_for"] = report.built_for;
  if (!report.untold.empty()) json["not_shown"] = report.untold;
  json["sides"] = Json::array();
  for (const CodeSide& side : report.sides) json["sides"].push_back(side_json(report.kind, side));
  if (report.sides.size() == 2) {
    json["same_machine_code"] = report.sides[0].hash == report.sides[1].hash;
    json["difference"] = difference_json(report);
  }
  return json;
}

}  // namespace nightshift::tools
