#pragma once

#include <string>

namespace nightshift::tools {

// The interpreter that this is, and what PYTHONPATH has to be for it to find the module; empty: it
// does. `folder` has the module; empty: it does not stand beside this program.
struct PythonHere {
  std::string interpreter, path, folder = {};
};
PythonHere python_here();

}  // namespace nightshift::tools
