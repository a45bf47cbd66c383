#include "evaluator/counters/peak_memory.h"

#include <unistd.h>

#include "evaluator/counters/hardware_counters.h"
#include "ipc/process_table.h"

namespace nightshift::evaluator {

void require_peaks_of_servers() {
  if (!ipc::forget_peak_memory_of_tree(::getpid())) throw NotMeasurable(kNoPeakOfServers);
}

}  // namespace nightshift::evaluator
