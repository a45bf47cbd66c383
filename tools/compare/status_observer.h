#pragma once

#include <functional>
#include <string>
#include <utility>

#include "scheduler/evaluation_loop.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {

// Shows on a status line how a loop of evaluations goes on, and warns of what the pool gives notice
// of.
class StatusObserver final : public scheduler::EvaluationObserver {
 public:
  // What the line says from now on; asked at each tick.
  void show(std::function<std::string()> text) { text_ = std::move(text); }
  void tick() override { line_.show(text_()); }
  void notice(const std::string& text) override { line_.warn(text); }

 private:
  StatusLine line_;
  std::function<std::string()> text_ = [] { return "building"; };
};

}  // namespace nightshift::tools
