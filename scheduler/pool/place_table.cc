#include "scheduler/pool/place_table.h"

#include <algorithm>
#include <utility>

#include "scheduler/pool/spare_order.h"

namespace nightshift::scheduler {

// Seconds for which a process waits for the next study on its device. Another device may be free
// first.
constexpr double kRest = 2;

PlaceTable::PlaceTable(const std::vector<Device>& devices, const ForkedPoolOptions& options,
                       std::string scratch, std::string run_mark, ipc::Poller& poller)
    : devices_(devices),
      options_(options),
      sharing_(devices, options.builder_cores, usable_cores()),
      scratch_(std::move(scratch)),
      run_mark_(std::move(run_mark)),
      poller_(poller) {}

// --- Who takes part ---

SlotOptions PlaceTable::common_options() const {
  SlotOptions slot;
  slot.respawn_first = options_.respawn_first;
  slot.respawn_last = options_.respawn_last;
  slot.recycle_after = options_.recycle_after;
  return slot;
}

SlotOptions PlaceTable::evaluator_options(const Member& member, DeviceIndex device) const {
  const Device& where = devices_[device];
  SlotOptions slot = common_options();
  slot.name = "the evaluator of " + where.uuid;
  if (member.study.problem->scheduling.process_per_trial) slot.recycle_after = 1;
  slot.placement.cores = where.cores;
  slot.placement.gpu = where.gpu;
  if (sharing_.spare_cores()) {
    slot.spares = std::clamp(member.study.hot_spares, 0, kMostSpares);
    slot.spare_placement = {*sharing_.spare_cores(), false, where.gpu};
  }
  return slot;
}

// What is built for GPUs is built for the first one.
SlotOptions PlaceTable::builder_options(const Member& member, int number) const {
  const auto first = std::ranges::find_if(devices_, [&](const Device& d) {
    return search::is_on_gpus(*member.study.problem) && !d.gpu.uuid.empty();
  });
  const ipc::GpuTarget gpu = first == devices_.end() ? ipc::GpuTarget{} : first->gpu;
  // Who launches on a GPU finds a core at once. On cores measuring and building exclude each other,
  // and a build at the lowest priority gets nothing where others keep the cores busy.
  const bool idle = !gpu.uuid.empty();
  SlotOptions slot = common_options();
  slot.name = "builder " + std::to_string(number);
  slot.placement = {options_.builder_cores, idle, gpu, false};
  return slot;
}

// Places of studies that have left are used again, so that tokens and loops stay short.
std::size_t PlaceTable::add(StudyIndex study, std::optional<DeviceIndex> device,
                            SlotOptions options, TimePoint now) {
  const auto vacant = std::ranges::find_if(places_, [](const Place& p) { return !p.slot; });
  const auto number = static_cast<std::size_t>(vacant - places_.begin());
  if (vacant == places_.end()) places_.emplace_back();
  Place& place = places_[number];
  place.slot = std::make_unique<WorkerSlot>(members_[study]->setup, poller_,
                                            kWorkersPerPlace * number, std::move(options));
  place.slot->park(now);
  place.study = study;
  place.device = device;
  place.was_open = false;
  return number;
}

StudyIndex PlaceTable::admit(PoolStudy study, TimePoint now) {
  const auto vacant = std::ranges::find_if(members_, [](const auto& m) { return !m; });
  const auto index = static_cast<StudyIndex>(vacant - members_.begin());
  if (vacant == members_.end()) members_.emplace_back();
  members_[index] = std::make_unique<Member>();
  Member& member = *members_[index];
  member.study = std::move(study);
  member.setup = {member.study.problem.get(),
                  options_.evaluator_program,
                  options_.evaluator_arguments,
                  member.study.artifact_folder,
                  scratch_,
                  run_mark_};
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    member.evaluators.push_back(add(index, d, evaluator_options(member, d), now));
  }
  const int builders = member.study.builds ? options_.builders : 0;
  for (int i = 0; i < builders; ++i) {
    member.builders.push_back(add(index, {}, builder_options(member, i), now));
  }
  return index;
}

void PlaceTable::dismiss(StudyIndex study, TimePoint now) {
  members_[study]->leaving = true;
  for (const Place& place : places_) {
    if (!place.slot || place.study != study) continue;
    if (place.device && !members_[study]->study.process_kind.empty()) {
      place.slot->rest(now, kRest, members_[study]->study.keeps_used);
    } else {
      place.slot->close(now);
    }
  }
}

void PlaceTable::adopt(StudyIndex study, DeviceIndex device, TimePoint now) {
  WorkerSlot& own = evaluator(study, device);
  const std::string& kind = members_[study]->study.process_kind;
  for (const Place& place : places_) {
    const bool is_left = place.slot && place.device == device && members_[place.study]->leaving;
    if (!is_left) continue;
    const bool is_alike = !kind.empty() && members_[place.study]->study.process_kind == kind;
    if (is_alike) own.adopt(place.slot->hand_over(own.may_adopt()), now);
    place.slot->close(now);  // nobody measures beside what is of no more use
  }
}

void PlaceTable::forget_the_gone() {
  for (StudyIndex s = 0; s < members_.size(); ++s) {
    if (!members_[s] || !members_[s]->leaving) continue;
    const auto is_its = [s](const Place& p) { return p.slot && p.study == s; };
    if (std::ranges::any_of(
            places_, [&](const Place& p) { return is_its(p) && !p.slot->process_ids().empty(); })) {
      continue;
    }
    for (Place& place : places_) {
      if (is_its(place)) place.slot.reset();
    }
    members_[s].reset();
  }
}

void PlaceTable::set_builders(StudyIndex study, int count, TimePoint now) {
  for (const std::size_t place : members_[study]->builders) {
    WorkerSlot& slot = *places_[place].slot;
    if (count-- > 0) {
      if (slot.parked()) slot.unpark(false);
    } else if (!slot.parked() && !slot.occupied()) {
      slot.park(now);
    }
  }
}

bool PlaceTable::is_member(StudyIndex study) const {
  return study < members_.size() && members_[study] && !members_[study]->leaving;
}

std::vector<StudyIndex> PlaceTable::members() const {
  std::vector<StudyIndex> members;
  for (StudyIndex s = 0; s < members_.size(); ++s) {
    if (is_member(s)) members.push_back(s);
  }
  return members;
}

bool PlaceTable::any_builder_in_service(StudyIndex study) const {
  return std::ranges::any_of(members_[study]->builders,
                             [&](std::size_t p) { return places_[p].slot->in_service(); });
}

std::vector<int> PlaceTable::process_ids() const {
  std::vector<int> pids;
  for (const bool builders : {false, true}) {
    for (const Place& place : places_) {
      if (!place.slot || place.device.has_value() == builders) continue;
      for (const int pid : place.slot->process_ids()) pids.push_back(pid);
    }
  }
  return pids;
}

// --- Who may start ---

bool PlaceTable::disturbs(const Place& place, DeviceIndex measuring) const {
  if (!place.device) return sharing_.builders_disturb(measuring);
  return *place.device == measuring || sharing_.device_disturbs(*place.device, measuring);
}

bool PlaceTable::may_load(const Place& place) const {
  return std::ranges::none_of(places_, [&](const Place& other) {
    return other.slot && other.device && &other != &place && other.slot->occupied() &&
           disturbs(place, *other.device);
  });
}

bool PlaceTable::may_measure(StudyIndex study, DeviceIndex device, TimePoint now) const {
  const Place& place = places_[place_of(study, device)];
  if (!place.slot->idle() || !may_load(place)) return false;
  return std::ranges::none_of(places_, [&](const Place& other) {
    return other.slot && &other != &place && disturbs(other, device) && other.slot->loading(now);
  });
}

int PlaceTable::running_builds() const {
  return static_cast<int>(std::ranges::count_if(
      places_, [](const Place& p) { return p.slot && !p.device && p.slot->occupied(); }));
}

WorkerSlot* PlaceTable::idle_builder(StudyIndex study) const {
  if (running_builds() >= options_.builders) return nullptr;
  for (const std::size_t place : members_[study]->builders) {
    if (places_[place].slot->idle() && may_load(places_[place])) return places_[place].slot.get();
  }
  return nullptr;
}

std::optional<std::size_t> PlaceTable::next_spare_place(TimePoint now) const {
  std::vector<SparePlace> spares;
  std::vector<std::size_t> numbers;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (!places_[p].slot || !places_[p].device) continue;
    spares.push_back(places_[p].slot->spare_place(now));
    numbers.push_back(p);
  }
  const auto next = next_spare(spares);
  return next ? std::optional(numbers[*next]) : std::nullopt;
}

}  // namespace nightshift::scheduler
