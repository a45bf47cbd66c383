#pragma once

#include <string>

namespace nightshift::tools {

// The interpreter that this is, and what PYTHONPATH has to be for it to find the module; empty: it
// does.
struct PythonHere {
  std::string interpreter, path;
};
PythonHere python_here();

}  // namespace nightshift::tools
