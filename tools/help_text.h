#pragma once

namespace nightshift::tools {

// What `nightshift --help` says before and behind the list of commands; exit_code.h has the same
// exit codes.
extern const char* const kIntroduction;
extern const char* const kEpilogue;

// What `nightshift COMMAND --help` says behind the options.
extern const char* const kTuneEpilogue;
extern const char* const kCompareEpilogue;
extern const char* const kNoiseEpilogue;
extern const char* const kLockClocksEpilogue;
extern const char* const kResumeEpilogue;
extern const char* const kExplainEpilogue;
extern const char* const kReportEpilogue;
extern const char* const kExportEpilogue;
extern const char* const kDevicesEpilogue;

}  // namespace nightshift::tools
