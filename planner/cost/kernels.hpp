// Price of a kernel: what was profiled, else an estimate that says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>

#include "planner/cost/kernel_neighbours.hpp"
#include "planner/cost/rate_estimate.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

struct KernelTime {
  double seconds = 0.0;
  double low_s = 0.0;
  double high_s = 0.0;
  bool estimated = false;
  std::int64_t workspace_bytes = 0;  // 0 when estimated
  double rank_spread_s = 0.0;        // standard deviation between ranks; 0 when estimated
};

enum class KernelSource { profiled, neighbours, rates, turns };

// How the time of a kernel came about. Of neighbours, the rate is what they do of `work` a second.
struct KernelFormula {
  KernelSource source = KernelSource::profiled;
  KernelTime time;
  double work = 0.0;  // neighbours only: flops, bytes, or seconds by the rates of the device
  std::string unit;   // of the work
  RateParts parts;    // rates only
};

// Several threads may look up at once.
class KernelCosts {
 public:
  explicit KernelCosts(const Profile& profile = {}, const DefaultRates& rates = {})
      : KernelCosts(profile, Rates(rates)) {}
  // With the rates of the platform's device, the default ones where it has none.
  KernelCosts(const Profile& profile, const Platform& platform)
      : KernelCosts(profile, platform.kernels ? Rates(*platform.kernels) : Rates(DefaultRates{})) {}

  // Profiled: the median, from the minimum to the slower of median and mean plus one standard
  // deviation. Not profiled: interpolated from the profiled kernels of the same kind, phase,
  // algorithm and precision, their throughput or, where the rates of the device are known, how far
  // they are off those. None of these: from rates (rate_estimate). One of several at the same time
  // (concurrency) that was not profiled so: as if they took turns, at best as fast as alone. A
  // kernel without outputs takes no time and is not estimated.
  KernelTime lookup(const KernelSpec& spec) const;
  // The same, with what it is made of.
  KernelFormula formula(const KernelSpec& spec) const;
  // What was profiled, as the library calls it; empty where nothing was.
  std::string implementation(const KernelSpec& spec) const;
  // How many kernels at the same time were profiled; 1 is always among them. Ascending.
  const std::set<int>& concurrencies() const { return concurrencies_; }
  // True where kernels take turns in the workspace of the largest.
  bool shared_workspace() const { return shared_workspace_; }

 private:
  struct Hash {
    std::size_t operator()(const KernelSpec& spec) const;
  };
  using Rates = std::variant<DefaultRates, KernelRates>;
  using Family = std::tuple<KernelKind, KernelPhase, KernelAlgorithm, Precision>;

  KernelCosts(const Profile& profile, Rates rates);
  KernelEstimate from_rates(const KernelSpec& spec) const;
  double neighbour_work(const KernelSpec& spec) const;
  // Null where none of its family was profiled.
  const KernelNeighbours* neighbours_of(const KernelSpec& spec) const;
  KernelEstimate estimate(const KernelSpec& spec) const;
  KernelEstimate in_turns(const KernelSpec& spec) const;

  std::unordered_map<KernelSpec, KernelTime, Hash> measured_;
  mutable std::mutex estimating_;
  mutable std::unordered_map<KernelSpec, KernelTime, Hash> estimated_;  // made so far
  std::map<Family, KernelNeighbours> neighbours_;
  Rates rates_;
  std::unordered_map<KernelSpec, std::string, Hash> implementations_;
  std::set<int> concurrencies_{1};
  bool shared_workspace_ = false;
};

}  // namespace cnnplan
