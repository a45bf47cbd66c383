#include "tools/summary/evidence.h"

#include <cmath>
#include <vector>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

std::string change_of(const search::Objective& objective, double effect) {
  return format_change(objective, std::exp(-effect));
}

std::string error_of(double standard_error) {
  return std::isfinite(standard_error) ? "+- " + format_percent(standard_error) : "+- unknown";
}

Rows look_rows(const search::Verdict& verdict, const search::Objective& objective) {
  Rows rows;
  for (const search::Look& look : verdict.looks) {
    rows.push_back({"after " + count_of(static_cast<std::uint64_t>(look.pairs), "pair"),
                    change_of(objective, look.effect), error_of(look.standard_error),
                    "p = " + format_number(look.p_value), "level " + format_number(look.level)});
  }
  return rows;
}

Rows device_rows(const search::Verdict& verdict, const search::Objective& objective) {
  Rows rows;
  for (const search::DeviceEffect& d : verdict.devices) {
    rows.push_back({"on " + one_line(d.device),
                    count_of(static_cast<std::uint64_t>(d.pairs), "pair"),
                    change_of(objective, d.effect), error_of(d.standard_error),
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
          format_percent(h.tau) + ")";
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
