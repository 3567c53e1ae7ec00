// Prices each kind of operation.
#include "planner/predict/price.hpp"

#include <algorithm>
#include <utility>

#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

// Returns the price of an operation that moves data. Figures of a data sheet are estimates.
Price price_of_data(double seconds, const Platform& platform) {
  return {.seconds = seconds,
          .low_s = seconds,
          .high_s = seconds,
          .estimated = !platform.measured && seconds > 0.0};
}

double summed_bytes(const CollectiveOperation& operation) {
  return static_cast<double>(operation.elements * bytes_of(operation.element));
}

const Buffer* buffer_or_null(const Schedule& schedule, BufferIndex index) {
  return index < 0 ? nullptr : &schedule.buffers[index];
}

}  // namespace

Price PriceList::operator()(const Schedule& schedule, const Operation& operation) const {
  return std::visit([&](const auto& body) { return price(schedule, body); }, operation.body);
}

Price PriceList::price(const Schedule&, const KernelOperation& operation) const {
  const KernelTime time = kernels_.lookup(operation.spec);
  return {.seconds = time.seconds,
          .low_s = time.low_s,
          .high_s = time.high_s,
          .estimated = time.estimated,
          .workspace_bytes = time.workspace_bytes,
          .rank_spread_s = time.rank_spread_s};
}

Price PriceList::price(const Schedule& schedule, const TransferOperation& operation) const {
  return price(traffic(schedule, operation));
}

Price PriceList::price(const Schedule& schedule, const CollectiveOperation& operation) const {
  return price(traffic(schedule, operation));
}

Traffic PriceList::traffic_of(const Schedule& schedule, const Operation& operation) const {
  if (const auto* transfer = std::get_if<TransferOperation>(&operation.body)) {
    return traffic(schedule, *transfer);
  }
  return traffic(schedule, std::get<CollectiveOperation>(operation.body));
}

Price PriceList::operator()(const Traffic& traffic) const {
  return std::visit([this](const auto& one) { return price(one); }, traffic);
}

TransferTraffic PriceList::traffic(const Schedule& schedule,
                                   const TransferOperation& operation) const {
  const TransferTraits traits = traits_of(schedule, operation);
  const TransferRule* rule = operation.rule.get();
  const ListOf list_of = rule == nullptr
                             ? ListOf{}
                             : lists_of(rule->sources, rule->destinations, rule->ranks_per_node);
  return transfer_traffic(platform_, operation.list, schedule.rank, traits, list_of);
}

CollectiveTraffic PriceList::traffic(const Schedule& schedule,
                                     const CollectiveOperation& operation) const {
  return {.links = &links_->of(operation.group, schedule.ranks, operation.ranks_per_node),
          .bytes = summed_bytes(operation),
          .kind = operation.kind,
          .algorithm = operation.algorithm};
}

Price PriceList::price(const TransferTraffic& traffic) const {
  return price_of_data(transfer_time(platform_, traffic).total_s(), platform_);
}

Price PriceList::price(const CollectiveTraffic& traffic) const {
  Price price = price_of_data(
      collective_time_s(platform_, *traffic.links, traffic.bytes, traffic.kind, traffic.algorithm),
      platform_);
  price.estimated = price.estimated ||
                    is_estimated_half(platform_, *traffic.links, traffic.kind, traffic.algorithm);
  return price;
}

double PriceList::least_s(const CollectiveOperation& operation,
                          int all_ranks,
                          double most_bytes) const {
  return summed_bytes(operation) * least_s_per_byte(operation, all_ranks, most_bytes);
}

// Two threads may compute the same value at the same time.
double PriceList::least_s_per_byte(const CollectiveOperation& operation,
                                   int all_ranks,
                                   double most_bytes) const {
  const Collective collective{operation.group,
                              all_ranks,
                              operation.ranks_per_node,
                              operation.kind,
                              operation.algorithm,
                              most_bytes};
  {
    const std::scoped_lock lock(least_mutex_);
    const auto found = least_s_per_byte_.find(collective);
    if (found != least_s_per_byte_.end()) return found->second;
  }
  const double least =
      least_collective_s_per_byte(platform_,
                                  links_->of(operation.group, all_ranks, operation.ranks_per_node),
                                  most_bytes,
                                  operation.kind,
                                  operation.algorithm);
  const std::scoped_lock lock(least_mutex_);
  return least_s_per_byte_.emplace(collective, least).first->second;
}

Price PriceList::price(const Schedule& schedule, const LoadOperation& operation) const {
  const Buffer& data = schedule.buffers[operation.data];
  const std::int64_t bytes = checked_multiply(volume(schedule.data_box), bytes_of(data.element));
  return price_of_data(load_s(bytes), platform_);
}

double PriceList::load_s(std::int64_t bytes) const {
  return static_cast<double>(bytes) * platform_.copy_s_per_byte;
}

PricedSchedule priced(Schedule schedule, const PriceList& prices) {
  PricedSchedule result{.schedule = std::move(schedule),
                        .prices = {},
                        .shared_workspace = prices.kernels().shared_workspace(),
                        .device = prices.kernels().device()};
  result.prices.reserve(result.schedule.operations.size());
  for (const Operation& operation : result.schedule.operations) {
    result.prices.push_back(prices(result.schedule, operation));
  }
  return result;
}

TransferTraits traits_of(const Schedule& schedule, const TransferOperation& operation) {
  TransferTraits traits{.accumulate = operation.accumulate, .zero_first = operation.zero_first};
  if (const Buffer* source = buffer_or_null(schedule, operation.source)) {
    traits.source_box = source_box(schedule, operation);
    traits.element_bytes = bytes_of(source->element);
  }
  if (const Buffer* destination = buffer_or_null(schedule, operation.destination)) {
    traits.destination_box = destination_box(schedule, operation);
    traits.element_bytes = bytes_of(destination->element);
  }
  return traits;
}

std::vector<int> peers(const Operation& operation) {
  const auto* transfer = std::get_if<TransferOperation>(&operation.body);
  if (transfer == nullptr) return {};
  std::vector<int> ranks;
  ranks.reserve(transfer->list.sends.size() + transfer->list.receives.size());
  for (const Piece& piece : transfer->list.sends) ranks.push_back(piece.peer);
  for (const Piece& piece : transfer->list.receives) ranks.push_back(piece.peer);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

bool waits_for_others(const Operation& operation, int rank) {
  return waits_for_others(operation, peers(operation), rank);
}

bool waits_for_others(const Operation& operation, std::span<const int> others, int rank) {
  if (const auto* collective = std::get_if<CollectiveOperation>(&operation.body)) {
    return collective->group.size() > 1;
  }
  return std::any_of(others.begin(), others.end(), [rank](int peer) { return peer != rank; });
}

}  // namespace cnnplan
