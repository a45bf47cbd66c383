#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "problems/recorded_space.h"
#include "tools/bench/front/front_options.h"
#include "tools/bench/front/front_report.h"
#include "tools/usage_error.h"

namespace nightshift::bench {
namespace {

void run(const FrontOptions& options) {
  for (const std::string& space : options.absent) {
    std::fprintf(stderr, "bench-front: %s is skipped: it is not there\n", space.c_str());
  }
  std::vector<FrontSpace> spaces;
  for (const std::string& files : options.spaces) spaces.push_back(FrontSpace::read(files));
  const auto results = measure_fronts(options.searchers, spaces, options.settings);
  std::fputs(front_text(results, spaces, options.settings, options.summary).c_str(), stdout);
  if (options.json.empty()) return;
  std::ofstream out(options.json, std::ios::binary);
  if (!(out << front_json(results, spaces, options.settings) << std::flush)) {
    throw tools::UsageError(options.json + ": cannot be written");
  }
}

int complain(int code, const char* message) {
  std::fprintf(stderr, "bench-front: %s\n", message);
  return code;
}

int main_of(const std::vector<std::string>& arguments) {
  const auto parsed = parse_front_options(arguments);
  if (const Answer* answer = std::get_if<Answer>(&parsed)) {
    std::fputs(answer->text.c_str(), answer->code == 0 ? stdout : stderr);
    return answer->code;
  }
  try {
    run(std::get<FrontOptions>(parsed));
    return 0;
  } catch (const tools::UsageError& e) {
    return complain(2, e.what());
  } catch (const problems::RecordedSpaceError& e) {
    return complain(2, e.what());
  } catch (const std::exception& e) {
    return complain(1, e.what());
  }
}

}  // namespace
}  // namespace nightshift::bench

int main(int argc, char** argv) {
  return nightshift::bench::main_of(std::vector<std::string>(argv + 1, argv + argc));
}
