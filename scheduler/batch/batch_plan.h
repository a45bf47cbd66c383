#pragma once

#include <vector>

#include "scheduler/batch/batch_step.h"

namespace nightshift::scheduler {

// Who gets which device of a batch for how long: a policy without a pool or a clock.
//
//   order      the highest priority first, of these those with a deadline, the nearest one first; then
//              those of the client whose studies have had the least time for their weight; then,
//              where the time does not serve all (NightTime), those with the most weight for what
//              they take; then as they are listed. Studies that come after others wait for their end
//   skip       studies that come after one that failed, never began or was cut off
//   begin      with as many devices as they need at least; a study that needs several keeps those
//              that are free already; one that may use fewer than it needs waits while devices may
//              still join
//   build      studies that build ahead begin without a device, so many at once (Moment::ahead), and
//              one at each question, since to begin one takes the caller longer than all else; once
//              such a one has something to measure the next free device is its, in their order
//   go on      a running study that has lost all its devices, since its baseline failed there, comes
//              before all that wait; the time until it has another one is not counted on its budget
//   grow       devices that nobody waits for go to the running study with the fewest for its weight
//   give back  a device of a study that has more than it needs, once it has had it for kLeastLease
//              and another waits: a change costs processes and a baseline
//   share      a device whose only owner leaves it idle gets a second one while studies wait: mostly
//              since it waits for builds, and no confirmation is open there, or since the pairs of its
//              last duel are measured on other devices. Both measure there in turn, the one with
//              a confirmation first. The time in which others measure on a study's devices, or where
//              its confirmation goes on alone, is not counted on its budget
//   time       under a deadline what is left is divided by weight over all that have not ended, less
//              what they have used up already, whenever one begins or ends; nobody has less than
//              it takes until its claim
//   leave      where that does not serve all, those that it does not serve wait until it does: they
//              keep nobody from a device, and one that was begun before anybody knew makes room for
//              one that is served, once. Of what nobody has measured each may still begin on a device
//              that is free, and is told by its own evaluations then
//   suffice    under a deadline a study that has stopped gaining (StudyTerms::patience) explores no
//              more while others would: what is left of its time is divided among them
//
// Rejected: slices of time for each study in turn. They cost a change of processes and a baseline
// each, and all studies end late instead of one after the other; a study's successor could not
// start from what it found.
class BatchPlan {
 public:
  using Begin = batch_step::Begin;
  using Lend = batch_step::Lend;
  using TakeBack = batch_step::TakeBack;
  using Limit = batch_step::Limit;
  using GiveUp = batch_step::GiveUp;
  using Suffice = batch_step::Suffice;
  using PutOff = batch_step::PutOff;
  using Leave = batch_step::Leave;
  using Step = BatchStep;
  using Moment = BatchMoment;

  // What is to be done now, in order. All of it is carried out before the plan is asked again.
  // Limits are given again only where a study has begun or ended since, or a device has come or
  // gone: `redivide`.
  std::vector<Step> steps(const Moment& moment, bool redivide) const;
};

}  // namespace nightshift::scheduler
