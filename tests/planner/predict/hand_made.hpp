// Schedules of a few operations with prices that are easy to add up.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planner/predict/price.hpp"
#include "tests/planner/tensor/group_of.hpp"

namespace cnnplan::test {

// Appends operations to the schedule of one rank.
class HandMade {
 public:
  explicit HandMade(int rank) { priced_.schedule.rank = rank; }

  HandMade& compute(const std::string& id, double seconds, std::vector<int> after = {}) {
    return add(id, Stream::compute, std::move(after), seconds, KernelOperation{});
  }
  // A halo exchanged with one other rank.
  HandMade& halo(const std::string& id, int peer, double seconds, std::vector<int> after = {}) {
    TransferOperation transfer;
    transfer.list.sends = transfer.list.receives = {{.peer = peer, .box = whole({})}};
    return add(id, Stream::halo, std::move(after), seconds, std::move(transfer));
  }
  HandMade& allreduce(const std::string& id,
                      const std::vector<int>& group,
                      double seconds,
                      std::vector<int> after = {},
                      Stream stream = Stream::reduce) {
    return add(id,
               stream,
               std::move(after),
               seconds,
               CollectiveOperation{.group = group_of(group), .operand = {}});
  }
  // Of the last operation, between ranks.
  HandMade& spread(double seconds) {
    priced_.prices.back().rank_spread_s = seconds;
    return *this;
  }
  // The last operation.
  HandMade& in_lane(int lane) {
    priced_.schedule.operations.back().lane = lane;
    priced_.schedule.lanes = std::max(priced_.schedule.lanes, lane + 1);
    return *this;
  }
  const PricedSchedule& priced() const { return priced_; }

 private:
  HandMade& add(const std::string& id,
                Stream stream,
                std::vector<int> after,
                double seconds,
                OperationBody body) {
    priced_.schedule.operations.push_back({.id = id,
                                           .stream = stream,
                                           .depends_on = {after.begin(), after.end()},
                                           .body = std::move(body)});
    priced_.prices.push_back({.seconds = seconds, .low_s = seconds / 2, .high_s = seconds * 2});
    return *this;
  }

  PricedSchedule priced_;
};

}  // namespace cnnplan::test
