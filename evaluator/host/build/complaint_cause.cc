#include "evaluator/host/build/complaint_cause.h"

#include "evaluator/host/build/flat_arrays.h"
#include "evaluator/host/build/missing_function.h"
#include "evaluator/host/build/overload_clash.h"
#include "evaluator/host/build/value_clash.h"
#include "evaluator/sources/macro_clash.h"

namespace nightshift::evaluator {

std::string complaint_cause(const RefusedBuild& build) {
  const search::HostBackend& host = build.host;
  const std::string& complaint = build.complaint;
  std::string cause;
  if (host.names == search::SourceNames::kMacros) {
    cause = macro_clash(build.told, build.source.file, build.program, host.directory, "host",
                        complaint);
  }
  if (cause.empty()) {
    cause = missing_function(build.source, build.program, host.directory, complaint);
  }
  if (cause.empty()) cause = missing_library(complaint);
  if (cause.empty()) {
    search::HostSource compiled = build.source;
    compiled.file = build.file;
    cause = overload_clash(compiled, build.told, host.arguments, build.is_reference, complaint);
  }
  if (cause.empty()) {
    cause = value_clash(build.source.function, host.arguments, build.shapes, complaint);
  }
  if (cause.empty()) cause = pointer_clash(build.source.function, complaint);
  return cause;
}

}  // namespace nightshift::evaluator
