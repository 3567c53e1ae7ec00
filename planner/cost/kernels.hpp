// Prices a kernel by its profiled time, else by an estimate that is marked as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>

#include "planner/cost/kernel_neighbours.hpp"
#include "planner/cost/rate_estimate.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/kernel/kernel_family.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Holds the price of a kernel. KernelCosts::lookup says how `seconds` and its range are found.
struct KernelTime {
  double seconds = 0.0;
  double low_s = 0.0;      // the lower end of the range
  double high_s = 0.0;     // the upper end of the range
  bool estimated = false;  // false for a profiled kernel, and for a kernel without outputs
  std::int64_t workspace_bytes = 0;  // 0 when estimated by rates
  double rank_spread_s = 0.0;        // standard deviation between ranks; 0 when estimated
};

// Says how the time of a kernel was found: `profiled` times were measured, `neighbours` divides the
// work by the throughput of similar kernels, and `rates` divides it by rates of the device. `turns`
// multiplies the time of the kernel alone by its concurrency.
enum class KernelSource { profiled, neighbours, rates, turns };

// Holds the time of a kernel with the numbers from which it was computed.
struct KernelFormula {
  KernelSource source = KernelSource::profiled;
  KernelTime time;
  double work = 0.0;  // neighbours only
  std::string unit;   // of the work: "flop", "B", or "s" for seconds by the rates of the device
  RateParts parts;    // rates only
};

// Looks up and estimates times of kernels. Several threads may do so at once.
class KernelCosts {
 public:
  explicit KernelCosts(const Profile& profile = {}, const DefaultRates& rates = {})
      : KernelCosts(profile, Rates(rates)) {}
  // Uses the rates of the platform's device, or the default rates if it has none.
  KernelCosts(const Profile& profile, const Platform& platform)
      : KernelCosts(profile, platform.kernels ? Rates(*platform.kernels) : Rates(DefaultRates{})) {}

  // The time of a profiled kernel is its median. Its range goes from the minimum to the larger of
  // median and mean, plus one standard deviation. Other kernels are estimated:
  // - from kernels of their family that were profiled alone, by their throughput, or by their ratio
  //   to the rates of the device where these are known;
  // - if the family has none, from rates (rate_estimate);
  // - if several kernels run at the same time (concurrency), as if they took turns, at best as fast
  //   as alone.
  // A kernel without outputs takes no time and is not estimated.
  KernelTime lookup(const KernelSpec& spec) const;
  // Returns the time of `lookup` and how it was found.
  KernelFormula formula(const KernelSpec& spec) const;
  // Returns the library's name of the implementation that was profiled for the kernel alone, else
  // for the kernel with its concurrency; empty if neither was profiled.
  std::string implementation(const KernelSpec& spec) const;
  // Returns the numbers of kernels that were profiled at the same time, ascending and including 1.
  const std::set<int>& concurrencies() const { return concurrencies_; }
  // True if the kernels of a lane share one workspace, which is as large as the largest of them
  // needs.
  bool shared_workspace() const { return shared_workspace_; }
  // Returns the time by which a step takes longer than its operations (Profile::step_overhead_s).
  double step_overhead_s() const { return step_overhead_s_; }
  // Returns the kind of the device that runs the kernels. One with memory of its own is a GPU.
  DeviceKind device() const {
    const bool is_gpu = is_discrete_ || std::holds_alternative<KernelRates>(rates_);
    return is_gpu ? DeviceKind::gpu : DeviceKind::cpu;
  }

 private:
  struct Hash {
    std::size_t operator()(const KernelSpec& spec) const;
  };
  using Rates = std::variant<DefaultRates, KernelRates>;

  KernelCosts(const Profile& profile, Rates rates);
  KernelEstimate from_rates(const KernelSpec& spec) const;
  double neighbour_work(const KernelSpec& spec) const;
  // Returns null if no kernel of the family was profiled.
  const KernelNeighbours* neighbours_of(const KernelSpec& spec) const;
  KernelEstimate estimate(const KernelSpec& spec) const;
  KernelEstimate in_turns(const KernelSpec& spec) const;

  std::unordered_map<KernelSpec, KernelTime, Hash> measured_;
  mutable std::mutex estimating_;
  mutable std::unordered_map<KernelSpec, KernelTime, Hash> estimated_;  // estimates so far
  std::map<KernelFamily, KernelNeighbours> neighbours_;
  Rates rates_;
  std::unordered_map<KernelSpec, std::string, Hash> implementations_;
  std::set<int> concurrencies_{1};
  bool shared_workspace_ = false;
  bool is_discrete_ = false;  // as the profile says
  double step_overhead_s_ = 0.0;
};

}  // namespace cnnplan
