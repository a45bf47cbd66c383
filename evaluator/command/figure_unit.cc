#include "evaluator/command/figure_unit.h"

#include <cstdlib>
#include <string>

#include "evaluator/command/figure_error.h"

namespace nightshift::evaluator {
namespace {

std::string in_quotes(std::string_view word) { return "'" + std::string(word) + "'"; }

std::string name_it(const std::string& objective) {
  return "; give the objective " + in_quotes(objective) +
         " a unit, into which figures are then converted";
}

}  // namespace

FigureUnit::FigureUnit(const search::Objective& objective)
    : name_(objective.name), own_(search::find_unit(objective.unit)) {}

bool FigureUnit::fits(const search::Unit& named) const {
  const search::Unit* wanted = own_ != nullptr ? own_ : first_;
  return wanted == nullptr || wanted->dimension == named.dimension;
}

double FigureUnit::converted(double number, const search::Unit* named) {
  if (own_ != nullptr) {
    if (named == nullptr) return number;
    if (!fits(*named)) {
      throw FigureError("a figure of " + in_quotes(name_) + " is in " + in_quotes(named->name) +
                        ", and the objective in " + in_quotes(own_->name) +
                        ": correct the objective's unit or what is read");
    }
    return number * *search::conversion(named->name, own_->name);
  }
  if (named == nullptr) {
    if (first_ != nullptr) {
      throw FigureError("a figure of " + in_quotes(name_) +
                        " has no unit, and an earlier one was in " + in_quotes(first_->name) +
                        name_it(name_));
    }
    bare_ = true;
    return number;
  }
  if (bare_) {
    throw FigureError("a figure of " + in_quotes(name_) + " is in " + in_quotes(named->name) +
                      ", and an earlier one had no unit" + name_it(name_));
  }
  if (first_ == nullptr) first_ = named;
  if (!fits(*named)) {
    throw FigureError("a figure of " + in_quotes(name_) + " is in " + in_quotes(named->name) +
                      ", and an earlier one in " + in_quotes(first_->name) + name_it(name_));
  }
  return number * *search::conversion(named->name, first_->name);
}

double figure_of(std::string_view text, FigureUnit& unit, const std::string& what) {
  const std::string copy(text);
  char* stop = nullptr;
  const double number = std::strtod(copy.c_str(), &stop);
  const std::string_view rest =
      std::string_view(copy).substr(static_cast<std::size_t>(stop - copy.c_str()));
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = rest.find_first_not_of(kBlanks);
  const bool blank = first == std::string_view::npos;
  const search::Unit* const named =
      blank ? nullptr
            : search::find_unit(rest.substr(first, rest.find_last_not_of(kBlanks) + 1 - first));
  if (stop == copy.c_str() || (!blank && named == nullptr)) {
    throw FigureError(what + " '" + copy + "', which is no number" +
                      (stop == copy.c_str() ? "" : " with a unit that we know"));
  }
  return unit.converted(number, named);
}

}  // namespace nightshift::evaluator
