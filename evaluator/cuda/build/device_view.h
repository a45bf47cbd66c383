#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nightshift::evaluator::cuda {

// A source, and the files of the user's that it includes, without what only a host needs: functions
// and variables at file scope that are not marked for the device
// (problems/cuda_source/cuda_source.h). Lines stay where they are.
struct DeviceView {
  std::string text;
  // What the compiler is to take for an included name, whatever lies in its folders.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string unread;  // why some file is as it was: "common.h: line 12: ..."; empty: none is
};

// `text` is that of `file`, or what stands in its place; `options` are the compiler's, of which the
// include folders count. `toolkit` are folders whose files stay as they are; what is in none of all
// these is a stub.
DeviceView device_view(const std::string& text, const std::string& file,
                       const std::vector<std::string>& options,
                       const std::vector<std::string>& toolkit);

}  // namespace nightshift::evaluator::cuda
