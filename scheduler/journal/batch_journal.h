#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal/batch_record.h"

namespace nightshift::scheduler {

// What somebody asked of a batch, whether it runs or not: `nightshift batch add|cancel|pause|go-on`.
struct BatchRequest {
  enum class Kind : std::uint8_t { kAdd, kCancel, kPause, kGoOn } kind = Kind::kAdd;
  // Of kAdd the files, absolute, as JSON; else the names of studies, as JSON; empty list: all.
  std::string argument;
  double at = 0;
  std::uint64_t number = 0;  // given by the journal
};

// Reads a batch without changing it, also while it runs. Throws JournalError: no batch there,
// damaged (says what is), or written by a newer version.
BatchRecord load_batch(const std::string& folder);
// True when `folder` holds a batch.
bool holds_batch(const std::string& folder);

}  // namespace nightshift::scheduler
