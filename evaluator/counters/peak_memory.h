#pragma once

namespace nightshift::evaluator {

// What is told where a server's peak cannot begin anew with a request.
inline constexpr const char* kNoPeakOfServers =
    "'peak_memory' of a server cannot be measured on this machine: the kernel does not let the "
    "peak "
    "of a process begin anew (/proc/PID/clear_refs, CONFIG_PROC_PAGE_MONITOR); a program that is "
    "started for each trial (mode = \"per-trial\") needs no more than its end";

// Throws NotMeasurable where that is so, by the example of this process.
void require_peaks_of_servers();

}  // namespace nightshift::evaluator
