#include "tools/table/table_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

#include "tools/table/formats/table_names.h"
#include "tools/text/format.h"
#include "tools/text/svg_frame.h"

namespace nightshift::tools {
namespace {

constexpr std::size_t kMostRows = 60;  // in text; table.json has all

std::size_t unmeasured(const TableReport& r) {
  return static_cast<std::size_t>(
      std::ranges::count(r.document.rule.rows, false, &search::TableRow::measured));
}

// Without a choice that was shown there is no hold-out that could say more.
std::string why_nothing(const TableReport& r) {
  const search::TableClaim& claim = r.document.claim;
  if (claim.shapes > 0) return claim.reason;
  const std::size_t rows = r.document.rule.rows.size();
  if (rows > 0 && unmeasured(r) == rows) return r.document.evidence.front().reason;
  const bool proposed = std::ranges::any_of(
      r.document.evidence, [](const RowEvidence& row) { return row.proposed != 0; });
  return proposed ? "no other choice was shown to be no worse" : "no candidate gains anything";
}

// "; 1 of them was not measured": of its default nothing is known.
std::string unmeasured_text(const TableReport& r) {
  const std::size_t count = unmeasured(r);
  if (count == 0) return "";
  return fmt::format("; {} of them {} not measured", count, count == 1 ? "was" : "were");
}

std::string headline(const TableReport& r) {
  if (r.stopped) return "Stopped by a signal: no table yet; the same command goes on";
  if (!r.device_error.empty()) return "No table: " + r.device_error;
  if (!r.unknown.empty()) return "No table of " + count_of(r.shapes, "shape") + ": " + r.unknown;
  const search::TableClaim& claim = r.document.claim;
  const std::string shapes = count_of(r.shapes, "shape");
  if (!claim.accepted) {
    return fmt::format("Every one of {} keeps the default: {}{}", shapes, why_nothing(r),
                       unmeasured_text(r));
  }
  return fmt::format("{} over {} against the default, by {}{}", change_text(r.document), shapes,
                     count_of(r.document.rule.configurations.size() - 1, "configuration"),
                     unmeasured_text(r));
}

std::string why(const TableReport& r) {
  const search::TableClaim& claim = r.document.claim;
  if (!claim.accepted) return "";
  return fmt::format(
      "Why: {} of {} on new pairs, p = {}; signed ranks of the shapes: p = {}. {} of {} have "
      "another configuration than the default, each shown to be less than {} worse than it at a "
      "level of {} over all of them (Holm).",
      count_of(claim.pairs, "pair"), count_of(claim.shapes, "shape"), format_number(claim.p_value),
      format_number(claim.signed_rank_p), claim.shapes, r.shapes, format_percent(r.document.margin),
      format_level(r.document.level));
}

Rows configuration_rows(const TableDocument& d) {
  Rows rows{{"", "rows", "configuration"}};
  for (std::size_t c = 0; c < d.rule.configurations.size(); ++c) {
    const auto count = std::ranges::count(d.rule.rows, c, &search::TableRow::choice);
    rows.push_back({std::to_string(c), std::to_string(count),
                    c == 0 ? "the default" : format_configuration(d.rule.configurations[c])});
  }
  return rows;
}

Rows curve_rows(const TableDocument& d) {
  Rows rows{{"k", "mean against the default", "against the best of all", "worst shape",
             "shapes beyond " + format_percent(d.slack), ""}};
  for (std::size_t k = 0; k < d.curve.size(); ++k) {
    const TableDocument::Kept& of = d.curve[k];
    rows.push_back({std::to_string(k), format_number(of.geometric_mean), format_number(of.of_best),
                    format_number(of.worst), std::to_string(of.beyond_slack),
                    k != d.k           ? ""
                    : d.claim.accepted ? "kept"
                                       : "proposed"});
  }
  return rows;
}

// What nobody asked for has its reason; what somebody did has the option.
Rows chosen_rows(const TableReport& r) {
  const TableAsked& asked = r.asked;
  const TableAsked chosen;
  const TableDocument& d = r.document;
  Rows rows{{"setting", "value", "why"}};
  const auto add = [&](const char* name, std::string value, bool is_told, const std::string& option,
                       const std::string& reason) {
    rows.push_back({name, std::move(value), is_told ? option + " asks for it" : reason});
  };
  add("configurations", fmt::format("{} of {} at most", d.k, asked.k.value_or(asked.most)),
      asked.k.has_value(), "--k",
      fmt::format("as few as lose no more than a third of the slack to {}", asked.most));
  add("candidates", std::to_string(asked.candidates), asked.candidates != chosen.candidates,
      "--candidates",
      "more than are kept, so that a study's luck costs no configuration its place");
  add("slack", format_percent(asked.slack), asked.slack != chosen.slack, "--slack",
      "a shape gives up so much for fewer configurations; --k keeps more");
  add("margin", format_percent(asked.margin), asked.margin != chosen.margin, "--margin",
      "of what differs by nothing no pairs show that it is no worse: so much is given away");
  add("level", format_level(d.level), false, "",
      "the chance of a wrong choice over all shapes, by the problem's confidence");
  add("evaluations",
      fmt::format("{} blocks, {} pairs, {} in the hold-out", asked.blocks, asked.pairs,
                  asked.hold_out_pairs),
      asked.blocks != chosen.blocks || asked.pairs != chosen.pairs ||
          asked.hold_out_pairs != chosen.hold_out_pairs,
      "--blocks, --pairs or --hold-out-pairs",
      "blocks choose, pairs of a shape show, and those of the hold-out claim over all shapes");
  add("budget", asked.budget ? format_duration(*asked.budget) : "none", asked.budget.has_value(),
      "--budget", "each question is asked until it is decided");
  return rows;
}

std::string interval_of(const RowEvidence& evidence) {
  if (evidence.pairs == 0) return "";
  return fmt::format("{} [{}, {}]", format_number(evidence.ratio),
                     format_number(evidence.interval.low), format_number(evidence.interval.high));
}

Rows shape_rows(const TableDocument& d, std::size_t most) {
  Rows rows{{"shape", "calls", "choice", "of the default's cost", "why"}};
  for (std::size_t i = 0; i < d.rule.rows.size() && i < most; ++i) {
    const search::TableRow& row = d.rule.rows[i];
    rows.push_back({search::text_of(row.sizes), fmt::format("{:g}", row.weight),
                    row.choice == 0 ? "default" : std::to_string(row.choice),
                    interval_of(d.evidence[i]), one_line(d.evidence[i].reason)});
  }
  return rows;
}

void add_tree(const search::TableRule& rule, std::size_t at, std::size_t indent,
              std::string& text) {
  const search::TreeNode& node = rule.unseen.tree[at];
  const std::string margin(indent, ' ');
  const std::string shapes = count_of(node.shapes, "shape");
  if (node.is_leaf) {
    text += margin +
            (node.choice == 0 ? "the default" : "configuration " + std::to_string(node.choice)) +
            "  (" + shapes + ")\n";
    return;
  }
  const std::string asked = search::describe(node.feature, rule.names);
  const bool yes_or_no = node.feature.kind == search::ShapeFeature::Kind::kDivisible ||
                         node.feature.kind == search::ShapeFeature::Kind::kPowerOfTwo;
  const std::string limit = fmt::format("{:.0f}", node.threshold);
  text += margin + (yes_or_no ? "not " + asked : asked + " <= " + limit) + ":\n";
  add_tree(rule, node.low, indent + 2, text);
  text += margin + (yes_or_no ? asked : asked + " > " + limit) + ":\n";
  add_tree(rule, node.high, indent + 2, text);
}

std::string unseen_text(const TableDocument& d) {
  if (d.depths.empty()) return "";
  const auto& error = d.depths[std::min(d.depth, d.depths.size() - 1)];
  std::string text = fmt::format(
      "Shapes left out one by one, and answered by a tree of the others: {} of the default's cost "
      "(geometric mean), {} of the best configuration's, {} of the default's on the worst shape.",
      format_number(error.geometric_mean), format_number(error.of_best),
      format_number(error.worst));
  if (error.failed > 0) {
    text += fmt::format(" On {} the answer does not run: no figure has {}.",
                        count_of(error.failed, "shape"), error.failed == 1 ? "it" : "them");
  }
  return text;
}

std::string leaf_tests_text(const TableDocument& d) {
  if (d.leaf_tests == 0) return "";
  return fmt::format(
      "{} asked whether a leaf's configuration is no worse on a shape that has another one itself: "
      "{} show it.",
      count_of(d.leaf_tests, "further test"), d.leaf_tests_shown);
}

// What the rule is worth on shapes that nobody tuned.
std::string unseen_claim_text(const TableDocument& d) {
  if (d.unseen.empty()) return "";
  double worst = 0;
  std::size_t by_default = 0;
  std::string where;
  for (const TableDocument::Unseen& one : d.unseen) {
    by_default += one.choice == 0 ? 1 : 0;
    if (one.ratio <= worst) continue;
    worst = one.ratio;
    where = " (" + search::text_of(one.sizes) + ")";
  }
  return fmt::format(
      "{} that nobody tuned, measured: {} of the default's cost [{}, {}] (geometric mean), {} on "
      "the "
      "worst{}; {} of them get the default.",
      count_of(d.unseen.size(), "shape"), format_number(d.unseen_claim.ratio),
      format_number(d.unseen_claim.interval.low), format_number(d.unseen_claim.interval.high),
      format_number(worst), where, by_default);
}

std::string took(const TableReport& r) {
  std::string text =
      fmt::format("{} in {}.", count_of(r.evaluations, "evaluation"), format_duration(r.seconds));
  if (r.reused > 0) {
    text += fmt::format(" {} were there already.", count_of(r.reused, "measurement"));
  }
  if (r.late) text += " The budget was used up: what was not asked keeps the default.";
  return text;
}

bool has_table(const TableReport& r) {
  return !r.stopped && r.device_error.empty() && r.unknown.empty();
}

// A column a shape, a row a candidate; what the shape gets is marked.
HeatMap matrix_of(const TableReport& r) {
  HeatMap map;
  for (std::size_t s = 0; s < r.decision.estimates.size(); ++s) {
    std::vector<HeatCell>& column = map.columns.emplace_back();
    for (std::size_t c = 1; c < r.decision.estimates[s].size(); ++c) {
      const search::CellEstimate& cell = r.decision.estimates[s][c];
      column.push_back({cell.mean, cell.usable, r.decision.rows[s] == c,
                        fmt::format("{}, {}: {}", search::text_of(r.columns[s].shape.sizes),
                                    format_configuration(r.candidates[c]),
                                    cell.usable ? format_signed_percent(std::expm1(cell.mean))
                                                : "does not run")});
    }
  }
  return map;
}

LineChart curve_chart(const TableDocument& d) {
  ChartSeries mean{"geometric mean", kBlue, {}, ChartMark::kLine};
  ChartSeries best{"against the best of all", kOrange, {}, ChartMark::kLine};
  for (std::size_t k = 0; k < d.curve.size(); ++k) {
    mean.points.push_back({static_cast<double>(k), d.curve[k].geometric_mean});
    best.points.push_back({static_cast<double>(k), d.curve[k].of_best});
  }
  return {{"Cost by the number of configurations", "configurations", "ratio"}, {mean, best}};
}

// Of many shapes text has the first ones.
Section shapes_section(const TableReport& r) {
  const TableDocument& d = r.document;
  const std::size_t all = d.rule.rows.size();
  Section section{"Shapes", {}};
  if (all <= kMostRows) {
    section.blocks.push_back(Table{shape_rows(d, all)});
    return section;
  }
  section.blocks.push_back(Table{shape_rows(d, kMostRows)});
  section.blocks.push_back(Paragraph{fmt::format("and {} more in {}", all - kMostRows, r.file)});
  return section;
}

// Best of another kind, measured here.
Rows carried_rows(const TableDocument& d) {
  if (d.carried.empty()) return {};
  Rows rows{{"tuned on", "shapes", "run here", "within " + format_percent(search::kAsGood),
             "of the default's cost", "the table of here", "worst against it"}};
  for (const TableDocument::Carried& one : d.carried) {
    const bool any = one.cost.ran > 0;
    rows.push_back({one_line(one.kind), std::to_string(one.cost.shapes),
                    std::to_string(one.cost.ran), std::to_string(one.cost.as_good),
                    any ? format_number(one.cost.of_default) : "",
                    any ? format_number(one.cost.own_of_default) : "",
                    any ? format_number(one.cost.worst) : ""});
  }
  return rows;
}

void add_table(const TableReport& r, std::vector<Block>& blocks) {
  const TableDocument& d = r.document;
  blocks.push_back(Paragraph{why(r)});
  blocks.push_back(Section{"Configurations", {Table{configuration_rows(d)}}, Fold::kOpen});
  blocks.push_back(
      Section{"How many are enough", {Charts{{curve_chart(d)}}, Table{curve_rows(d)}}});
  blocks.push_back(Section{"How it was chosen", {Table{chosen_rows(r)}}, Fold::kOpen});
  blocks.push_back(Section{
      "Candidates by shapes",
      {Charts{{matrix_of(r)},
              {},
              "A column for each shape, a row for each candidate: green costs less than the "
              "default, red more, grey does not run. Framed is what the shape gets."}}});
  blocks.push_back(shapes_section(r));
  blocks.push_back(Section{
      "Choices of other kinds of device, measured here", {Table{carried_rows(d)}}, Fold::kOpen});
  std::string tree;
  add_tree(d.rule, 0, 0, tree);
  blocks.push_back(Section{
      "Shapes that were not measured",
      {Verbatim{tree}, Paragraph{base::joined(unaskable(d), " ")}, Paragraph{leaf_tests_text(d)},
       Paragraph{unseen_text(d)}, Paragraph{unseen_claim_text(d)}}});
}

}  // namespace

ExitCode exit_code_of(const TableReport& r) {
  if (r.stopped) return ExitCode::kInterrupted;
  if (!r.device_error.empty()) return ExitCode::kDevice;
  if (r.late) return ExitCode::kUnfinished;
  if (!r.unknown.empty()) return ExitCode::kStudyFailed;
  return r.document.claim.accepted ? ExitCode::kSuccess : ExitCode::kNoImprovement;
}

Document document_of(const TableReport& r) {
  const bool good = exit_code_of(r) == ExitCode::kSuccess;
  Document document{
      "The table of " + r.name, {}, headline(r), good ? Mood::kGood : Mood::kBad, true};
  if (has_table(r)) add_table(r, document.blocks);
  for (const std::string& notice : r.notices) {
    document.blocks.push_back(Paragraph{one_line(notice)});
  }
  document.blocks.push_back(Paragraph{took(r)});
  if (has_table(r)) document.blocks.push_back(Verbatim{r.file + "\n"});
  return document;
}

nlohmann::ordered_json table_report_json(const TableReport& r) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (has_table(r)) json = table_json(r.document);
  json["folder"] = r.folder;
  json["file"] = r.file;
  json["evaluations"] = r.evaluations;
  json["reused"] = r.reused;
  json["seconds"] = r.seconds;
  json["stopped"] = r.stopped;
  json["late"] = r.late;
  json["notices"] = r.notices;
  json["device_error"] =
      r.device_error.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(r.device_error);
  json["unknown"] =
      r.unknown.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(r.unknown);
  return json;
}

std::string look_up_text(const TableDocument& d, const search::Sizes& sizes) {
  const search::LookedUpCall call = search::look_up(d.rule, sizes);
  std::string text =
      paragraph(search::text_of(sizes) + " gets " + search::describe(d.rule, call, sizes), 0);
  const search::Configuration& values =
      call.choice == 0 ? d.default_values : d.rule.configurations[call.choice];
  if (!values.is_baseline()) text += "  " + format_configuration(values) + "\n";
  if (call.is_row && !d.evidence[call.row].reason.empty()) {
    text += paragraph(d.evidence[call.row].reason, 2);
  }
  return text;
}

nlohmann::ordered_json look_up_json(const TableDocument& d, const search::Sizes& sizes) {
  const search::LookedUpCall call = search::look_up(d.rule, sizes);
  nlohmann::ordered_json asked = nlohmann::ordered_json::object();
  for (const auto& [name, size] : sizes) asked[name] = size;
  return {{"sizes", std::move(asked)},
          {"choice", call.choice},
          {"measured", call.is_row && d.rule.rows[call.row].measured},
          {"why", search::describe(d.rule, call, sizes)},
          {"configuration",
           nlohmann::ordered_json::parse(d.rule.configurations[call.choice].to_json())}};
}

}  // namespace nightshift::tools
