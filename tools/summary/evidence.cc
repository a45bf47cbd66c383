#include "tools/summary/evidence.h"

#include <cmath>
#include <vector>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

std::string change_of(const search::Objective& objective, double effect) {
  return format_change(objective, std::exp(-effect));
}

// Of an effect: a share of the figure, or of the scale that differences are compared by.
std::string size_of(const search::Objective& objective, double effect) {
  return search::is_difference(objective)
             ? format_value(effect * objective.difference_scale, objective.unit)
             : format_percent(effect);
}

std::string error_of(const search::Objective& objective, double standard_error) {
  return std::isfinite(standard_error) ? "+- " + size_of(objective, standard_error) : "+- unknown";
}

Rows look_rows(const search::Verdict& verdict, const search::Objective& objective) {
  Rows rows;
  for (const search::Look& look : verdict.looks) {
    rows.push_back({"after " + count_of(static_cast<std::uint64_t>(look.pairs), "pair"),
                    change_of(objective, look.effect), error_of(objective, look.standard_error),
                    "p = " + format_number(look.p_value), "level " + format_number(look.level)});
  }
  return rows;
}

Rows device_rows(const search::Verdict& verdict, const search::Objective& objective) {
  Rows rows;
  for (const search::DeviceEffect& d : verdict.devices) {
    rows.push_back({"on " + one_line(d.device),
                    count_of(static_cast<std::uint64_t>(d.pairs), "pair"),
                    change_of(objective, d.effect), error_of(objective, d.standard_error),
                    d.voided > 0 ? count_of(static_cast<std::uint64_t>(d.voided), "void pair")
                                 : std::string()});
  }
  return rows;
}

std::string agreement(const search::Verdict& verdict, const search::Objective& objective) {
  const search::Heterogeneity& h = verdict.heterogeneity;
  if (verdict.devices.size() < 2) return "";
  std::string text = h.depends ? "How much depends on the device" : "The devices agree";
  text += " (Cochran's Q: p = " + format_number(h.p_value) + ", between devices " +
          size_of(objective, h.tau) + ")";
  if (h.prediction.low != h.prediction.high) {
    text += "; on another device of the kind expect " + change_of(objective, h.prediction.low) +
            " to " + change_of(objective, h.prediction.high);
  }
  return text + ".";
}

}  // namespace

std::vector<Block> evidence_of(const search::Verdict& verdict, const search::Objective& objective) {
  if (verdict.looks.empty() && verdict.devices.empty()) return {};
  return {Paragraph{"Estimate: " + format_change(objective, verdict.ratio, verdict.interval) +
                    ", p = " + format_number(verdict.p_value) + "."},
          Facts{look_rows(verdict, objective)}, Facts{device_rows(verdict, objective)},
          Paragraph{agreement(verdict, objective)},
          Paragraph{verdict.shape.empty() ? "" : "Shape: " + verdict.shape + "."}};
}

}  // namespace nightshift::tools
