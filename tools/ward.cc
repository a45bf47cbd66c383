#include "tools/ward.h"

#include <stdlib.h>

#include <cstdlib>
#include <exception>

#include "ipc/orphans.h"
#include "tools/evaluator_program.h"

namespace nightshift::tools {

Ward::Ward(const std::vector<std::string>& folders) : mark_(ipc::fresh_run_mark()) {
  try {
    warden_ = ipc::Warden::start(evaluator_program(), mark_, folders);
  } catch (const std::exception&) {
    // What is missing for it, every run tells that measures.
  }
}

Ward::~Ward() {
  if (warden_) warden_->farewell();
}

WardOfAll::WardOfAll(const std::vector<std::string>& folders) : ward_(folders) {
  if (const char* before = std::getenv(ipc::kRunMark)) before_ = before;
  ::setenv(ipc::kRunMark, ward_.mark().c_str(), 1);
}

WardOfAll::~WardOfAll() {
  if (before_) {
    ::setenv(ipc::kRunMark, before_->c_str(), 1);
  } else {
    ::unsetenv(ipc::kRunMark);
  }
}

}  // namespace nightshift::tools
