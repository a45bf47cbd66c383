#include "scheduler/devices/kernel_file.h"

#include <fstream>
#include <sstream>

#include "base/text.h"

namespace nightshift::scheduler {

std::string line_in(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return std::string(base::trimmed(line));
}

std::optional<double> number_in(const std::string& file) {
  std::ifstream in(file);
  double number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

std::string value_in(const std::string& file, std::string_view name, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t end = line.find(separator);
    if (end != std::string::npos && base::trimmed(line.substr(0, end)) == name) {
      return std::string(base::trimmed(line.substr(end + 1)));
    }
  }
  return {};
}

std::optional<double> number_behind(const std::string& file, std::string_view word) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first;
    double number = 0;
    if (words >> first && first == word && words >> number) return number;
  }
  return std::nullopt;
}

}  // namespace nightshift::scheduler
