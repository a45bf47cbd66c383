#include "tools/bench/search/peers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/bench/search/positions.h"

namespace nightshift::bench {
namespace {

using Json = nlohmann::ordered_json;

Replay run_of(const Json& listed, const ReplaySpace& space, std::size_t budget) {
  Replay run;
  Positions positions(space, "a run");
  double clock = 0;
  for (const Json& position : listed) {
    if (run.best.size() == budget) break;
    const ReplayTrial& trial = space.trial(positions.take(position));
    clock += trial.seconds;
    auto best = run.best.empty() ? std::nullopt : run.best.back();
    if (!trial.value) ++run.failures;
    if (trial.value && (!best || *trial.value < *best)) best = trial.value;
    run.best.push_back(best);
    run.clock.push_back(clock);
    ++run.builds;
  }
  return run;
}

PeerRuns peer_of(const Json& json, const std::vector<ReplaySpace>& spaces, std::size_t budget) {
  PeerRuns peer;
  peer.name = json.at("name").get<std::string>();
  for (const ReplaySpace& space : spaces) {
    Runs runs;
    if (const auto found = json.at("spaces").find(space.name()); found != json.at("spaces").end()) {
      for (const Json& positions : *found) runs.push_back(run_of(positions, space, budget));
    }
    peer.spaces.push_back(std::move(runs));
  }
  return peer;
}

}  // namespace

std::vector<PeerRuns> read_peers(const std::vector<std::string>& files,
                                 const std::vector<ReplaySpace>& spaces, std::size_t budget) {
  std::vector<PeerRuns> peers;
  for (const std::string& file : files) {
    with_json(file, [&](const Json& all) {
      for (const Json& json : all.at("peers")) {
        PeerRuns peer = peer_of(json, spaces, budget);
        const auto ran = [](const Runs& runs) { return !runs.empty(); };
        if (std::any_of(peer.spaces.begin(), peer.spaces.end(), ran)) peers.push_back(peer);
      }
    });
  }
  return peers;
}

}  // namespace nightshift::bench
