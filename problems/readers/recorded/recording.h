#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/readers/recorded/recorded_objective.h"
#include "problems/readers/recorded/recorded_trial.h"
#include "search/objective.h"

namespace nightshift::problems {

// Keeps the order of the file, in which parameters and configurations are listed.
using Json = nlohmann::ordered_json;

// What a recording says, whichever of its formats it is in.
struct Recording {
  std::string kernel_name, device_name;
  search::Objective objective;
  bool has_direction = false;      // the file says the objective's, and no words have to
  std::vector<std::string> names;  // of the parameters
  std::vector<std::vector<search::Value>> listed;  // their values, as far as a list was recorded
  std::vector<RecordedTrial> trials;
  std::vector<std::string> remarks;  // what is odd about it, for people
};

// Takes a recording apart while it is parsed, so that no more than one entry of it is held as JSON.
class RecordingReader {
 public:
  virtual ~RecordingReader() = default;
  // A member of the file's object other than the one that holds the entries. Members have no order:
  // one may come behind the entries, or among the last.
  virtual void header(const std::string& key, const Json& value) = 0;
  // Whether the headers that the entries need have been seen.
  virtual bool ready() const = 0;
  // Whether a header came behind entries that are read otherwise by it. Those are forgotten then,
  // and come again, without the headers.
  virtual bool is_outdated() const { return false; }
  virtual void forget_entries() {}
  // `key` is the entry's, or empty where the entries are a list. Throws RecordedSpaceError.
  virtual void entry(const std::string& key, const Json& entry) = 0;
  virtual Recording finish() = 0;  // throws RecordedSpaceError

  // The doubles that the parser makes of whole numbers which 64 bits do not hold.
  void set_beyond_integers(std::vector<double> numbers) { beyond_ = std::move(numbers); }

 protected:
  // The number, text or truth value in `json`; throws RecordedSpaceError for anything else, whole
  // numbers beyond 64 bits among it.
  search::Value value_of(const Json& json) const;

 private:
  std::vector<double> beyond_;
};

// Appends the finite numbers of a number or a list.
void append_numbers(const Json* json, std::vector<double>& target);
// The member, or nullptr.
const Json* member(const Json& object, const char* key);
double number_or(const Json& object, const char* key, double otherwise);
std::string text_or(const Json& object, const char* key, const std::string& otherwise);
search::TrialOutcome wrong_result();

// Splits `json` for `reader`, whose entries are the members of `entries_key`. `json` is parsed
// twice where headers follow entries that need them. Throws RecordedSpaceError,
// nlohmann::json::exception.
void read_recording(std::string_view json, const std::string& entries_key, RecordingReader& reader);

}  // namespace nightshift::problems
