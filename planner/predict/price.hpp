// Prices one operation of a schedule, without waiting for other ranks. The search adds prices up,
// and the predictor walks them in virtual time, so both use equal prices.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "planner/cost/collectives.hpp"
#include "planner/cost/kernels.hpp"
#include "planner/cost/links.hpp"
#include "planner/platform/platform.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Holds the time of an operation on one rank whose peers are ready. Only kernels have a range; for
// other operations, low_s and high_s equal `seconds`.
struct Price {
  double seconds = 0.0;
  double low_s = 0.0;   // the lower end of the range
  double high_s = 0.0;  // the upper end of the range
  // True for a kernel that the profile lacks, for data that a platform without measurements moves,
  // and for half of an allreduce whose time was not measured itself (is_estimated_half).
  bool estimated = false;
  std::int64_t workspace_bytes = 0;  // scratch memory of a kernel
  double rank_spread_s = 0.0;        // standard deviation between ranks that run it at once
};

// Holds what the price of a collective depends on, apart from the times of the platform.
struct CollectiveTraffic {
  const GroupLinks* links = nullptr;  // not null
  double bytes = 0.0;
  CollectiveKind kind = CollectiveKind::allreduce;
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::ring;
};
using Traffic = std::variant<TransferTraffic, CollectiveTraffic>;

// Prices operations by the figures of a platform and by times of kernels.
class PriceList {
 public:
  // Keeps references to both.
  PriceList(const Platform& platform, const KernelCosts& kernels)
      : platform_(platform), kernels_(kernels), links_(std::make_shared<KnownLinks>(platform)) {}
  // Prices on another platform, with the kernels of `other`. Shares the links of groups that it has
  // computed (KnownLinks). Keeps references, also those of `other`.
  // @pre the platforms differ in latencies and times only
  PriceList(const Platform& platform, const PriceList& other)
      : platform_(platform), kernels_(other.kernels_), links_(other.links_) {}

  // Returns the price of an operation of `schedule`. Several threads may call this function and the
  // next four at once.
  Price operator()(const Schedule& schedule, const Operation& operation) const;
  // Returns the traffic of a transfer or a collective of `schedule`. It is valid as long as this
  // list or one that shares its links. @pre is_communication(operation)
  Traffic traffic_of(const Schedule& schedule, const Operation& operation) const;
  // Returns the price of an operation with this traffic.
  // @pre the traffic comes from this list, or from one whose links this list knows
  Price operator()(const Traffic& traffic) const;
  // Returns the least seconds that a collective adds where it may be part of a larger one: its
  // bytes, times the least seconds per byte of any size up to `most_bytes`. The program has
  // `all_ranks` ranks. @pre most_bytes > 0
  double least_s(const CollectiveOperation& operation, int all_ranks, double most_bytes) const;
  // Returns the time to load this number of bytes of samples.
  double load_s(std::int64_t bytes) const;
  const Platform& platform() const { return platform_; }
  const KernelCosts& kernels() const { return kernels_; }

 private:
  Price price(const Schedule& schedule, const KernelOperation& operation) const;
  Price price(const Schedule& schedule, const TransferOperation& operation) const;
  Price price(const Schedule& schedule, const CollectiveOperation& operation) const;
  Price price(const TransferTraffic& traffic) const;
  Price price(const CollectiveTraffic& traffic) const;
  TransferTraffic traffic(const Schedule& schedule, const TransferOperation& operation) const;
  CollectiveTraffic traffic(const Schedule& schedule, const CollectiveOperation& operation) const;
  Price price(const Schedule& schedule, const LoadOperation& operation) const;

  // The group comes with all ranks of the program and with its ranks per node.
  using Collective = std::tuple<RankGroup, int, int, CollectiveKind, AllreduceAlgorithm, double>;

  // Returns the least seconds per byte, and computes them where they are not known.
  double least_s_per_byte(const CollectiveOperation& operation,
                          int all_ranks,
                          double most_bytes) const;

  const Platform& platform_;
  const KernelCosts& kernels_;
  std::shared_ptr<KnownLinks> links_;
  mutable std::mutex least_mutex_;
  mutable std::map<Collective, double> least_s_per_byte_;  // keys end with `most_bytes`
};

// Holds one rank's schedule and what each of its operations costs.
struct PricedSchedule {
  Schedule schedule;
  IndexedVector<OperationIndex, Price> prices;
  bool shared_workspace = false;  // the kernels of a lane share one workspace
  DeviceKind device = DeviceKind::cpu;
};
// Returns the schedule with the price of each operation.
PricedSchedule priced(Schedule schedule, const PriceList& prices);

// Returns the properties of a transfer of `schedule`, for transfer_time.
TransferTraits traits_of(const Schedule& schedule, const TransferOperation& operation);

// Returns the ranks that a transfer sends to or receives from, each once, ascending. Copies that
// stay on the rank count as sent to itself. Other operations have no peers.
std::vector<int> peers(const Operation& operation);
// True when other ranks must have reached the operation before `rank` can finish it.
bool waits_for_others(const Operation& operation, int rank);
// Says so where the peers of the operation are known. @pre others == peers(operation)
bool waits_for_others(const Operation& operation, std::span<const int> others, int rank);

}  // namespace cnnplan
