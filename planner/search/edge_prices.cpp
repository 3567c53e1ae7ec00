// Exchanges of the lowering, priced per rank.
#include "planner/search/edge_prices.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "planner/cost/links.hpp"
#include "planner/model/checked.hpp"
#include "planner/model/parallel.hpp"
#include "planner/predict/virtual_time.hpp"
#include "planner/schedule/ownership.hpp"
#include "planner/search/sample_ranks.hpp"

namespace cnnplan {
namespace {

// Longer than any step.
constexpr double hopeless_s = 1e9;

Box of(const BlockOwnership& ownership, int rank) {
  return ownership.box(rank);
}

// True where backpropagation reads the input again.
bool keeps_input(const LayerParameters& reader) {
  return std::holds_alternative<Convolution>(reader) ||
         std::holds_alternative<FullyConnected>(reader) ||
         std::holds_alternative<BatchNorm>(reader);
}

// What kernels of a rank wait at least for any message to it, hidden as far as the platform can.
LeastMessage least_message(const Plan& plan, const Platform& platform) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  LeastMessage least{.alpha_s = infinity, .beta_s_per_byte = infinity};
  const double exposed = 1.0 - overlap_of(plan, platform);
  for (const Level& level : platform.levels) {
    if (level.duplex_factor < 1.0) return {};
    for (const Segment& segment : level.segments) {
      least.alpha_s = std::min(least.alpha_s, exposed * segment.alpha_s);
      least.beta_s_per_byte = std::min(least.beta_s_per_byte, exposed * segment.beta_s_per_byte);
    }
  }
  return least;
}

// What `rank` gets from others on the way forward: source blocks cover the tensor.
std::int64_t received_elements(const BlockOwnership& owned,
                               const BlockOwnership& needed,
                               int rank) {
  const Box wanted = needed.box(rank);
  return volume(wanted) - volume(intersect(wanted, owned.box(rank)));
}

}  // namespace

EdgePrices::EdgePrices(const Decomposition& decomposition,
                       const PriceList& prices,
                       std::vector<double> spare_s)
    : decomposition_(decomposition),
      plan_(decomposition.plan()),
      prices_(prices),
      ranks_(sample_ranks(plan_.ranks)),
      spare_s_(std::move(spare_s)),
      least_message_(least_message(plan_, prices.platform())) {}

EdgePrices::Rules EdgePrices::rules_of(LayerIndex consumer, std::size_t input) const {
  const Network& network = plan_.network;
  const LayerIndex source = network.inputs_of(consumer).at(input);
  const LayerParameters& reader = network.layer(consumer).parameters;
  const LayerParameters& tensor = network.layer(source).parameters;
  const LayerIndex writer = decomposition_.unit_of(source).head;
  const bool dense = needs_dense_blocks(tensor);
  return {.dense = dense,
          .fused = !dense && needs_dense_blocks(network.layer(writer).parameters),
          .dense_gradient = decomposition_.needs_dense_gradient(source),
          .gradient = decomposition_.requires_gradient(source),
          .dense_read = needs_dense_blocks(reader),
          .shared = shares_gradient(reader, input),
          .kept = keeps_input(reader),
          .copies = copies_inputs(reader),
          .first_channel = network.first_channel(consumer, input),
          .readers = static_cast<int>(network.consumers_of(source).size())};
}

Window EdgePrices::window_of(LayerIndex layer) const {
  return has_window(plan_.network.layer(layer).parameters) ? plan_.network.window_of(layer)
                                                           : Window{};
}

std::vector<BlockOwnership> EdgePrices::blocks(LayerIndex layer,
                                               const std::vector<Split>& splits) const {
  const Shape shape = plan_.network.output_shape(layer, plan_.batch);
  std::vector<BlockOwnership> owned;
  for (const Split& split : splits) owned.emplace_back(Distribution(shape, split.mesh));
  return owned;
}

const EdgePrice& EdgePrices::operator()(LayerIndex consumer,
                                        std::size_t input,
                                        const std::vector<Split>& source_splits,
                                        const std::vector<Split>& consumer_splits) {
  const LayerIndex source = plan_.network.inputs_of(consumer).at(input);
  const Rules rules = rules_of(consumer, input);
  const auto [entry, is_new] =
      known_.try_emplace({plan_.network.output_shape(source, plan_.batch),
                          plan_.network.output_shape(consumer, plan_.batch),
                          window_of(consumer),
                          source_splits,
                          consumer_splits,
                          rules});
  EdgePrice& price = entry->second;
  if (!is_new) return price;
  const std::vector<BlockOwnership> owned = blocks(source, source_splits);
  const std::vector<BlockOwnership> outputs = blocks(consumer, consumer_splits);
  std::vector<BlockOwnership> needed;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const ChannelAlgorithm algorithm = consumer_splits[i].channel_algorithm;
    needed.push_back(needed_blocks(plan_.network, consumer, input, outputs[i], algorithm));
  }
  price.slowest = CostMatrix(static_cast<int>(owned.size()), static_cast<int>(needed.size()));
  price.again = price.kept_bytes = price.slowest;
  price.least.assign(ranks_.size(), price.slowest);
  parallel_for(owned.size(), [&](std::size_t i) {
    const bool dense = rules.dense || (rules.fused && writes_dense_relu(source_splits[i]));
    for (std::size_t j = 0; j < needed.size(); ++j) {
      set(price,
          static_cast<int>(i),
          static_cast<int>(j),
          {owned[i], needed[j], outputs[j], rules, dense},
          sample_ranks({&source_splits[i].mesh, &consumer_splits[j].mesh}));
    }
  });
  return price;
}

bool EdgePrices::is_hopeless(const Pair& pair) const {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const int rank = ranks_[i];
    const int senders = sender_count(pair.owned, pair.needed, rank) +
                        (pair.rules.gradient ? sender_count(pair.needed, pair.owned, rank) : 0);
    if (senders == 0) continue;
    const double bytes = static_cast<double>(received_elements(pair.owned, pair.needed, rank)) *
                         static_cast<double>(activation_bytes(plan_.precision));
    const double least_s =
        senders * least_message_.alpha_s + bytes * least_message_.beta_s_per_byte;
    if (least_s > spare_s_[i]) return true;
  }
  return false;
}

void EdgePrices::set(
    EdgePrice& price, int row, int column, const Pair& pair, const std::vector<int>& ranks) {
  const Rules& rules = pair.rules;
  if (is_hopeless(pair)) {
    price.slowest(row, column) = hopeless_s;
    for (CostMatrix& least : price.least) least(row, column) = hopeless_s;
    return;
  }
  const bool forward = rules.copies || exchanges_forward(pair.owned, pair.needed);
  const bool back = rules.gradient && (rules.copies || exchanges_backward(pair.needed, pair.owned));
  for (int rank : ranks) {
    const double back_s = back ? backward_s(pair, rank) : 0.0;
    const double there_s = forward ? forward_s(pair, rank) : 0.0;
    double& slowest_s = price.slowest(row, column);
    slowest_s = std::max(slowest_s, there_s + back_s);
    if (forward && rules.kept) {
      double& bytes = price.kept_bytes(row, column);
      bytes = std::max(bytes, kept_bytes(pair, rank));
      price.again(row, column) = std::max(price.again(row, column), there_s);
    }
    const auto sampled = std::find(ranks_.begin(), ranks_.end(), rank);
    if (sampled == ranks_.end() || plan_.overlap) continue;
    const bool is_shared = forward && rules.readers > 1 && !rules.copies;
    const double least_there_s = is_shared ? least_forward_s(pair, rank) : there_s;
    price.least[static_cast<std::size_t>(sampled - ranks_.begin())](row, column) =
        least_there_s + back_s;
  }
}

Box EdgePrices::reader_box(const Pair& pair, int rank) {
  if (!pair.rules.copies) return of(pair.needed, rank);
  return shifted(of(pair.outputs, rank), Dim::c, -pair.rules.first_channel);
}

double EdgePrices::forward_s(const Pair& pair, int rank) const {
  if (pair.rules.copies) {
    const Exchange exchange = exchange_into_output(pair.owned, pair.needed, rank);
    return transfer_s(exchange, of(pair.owned, rank), reader_box(pair, rank), rank);
  }
  const Box want = of(pair.needed, rank);
  const std::span<const Box> dense_reads(&want, pair.rules.dense_read ? 1 : 0);
  const Box storage = storage_block(of(pair.owned, rank), pair.dense, dense_reads);
  const Exchange exchange = exchange_forward(pair.owned, pair.needed, storage, rank);
  return transfer_s(exchange, storage, exchange.in_place ? storage : want, rank);
}

double EdgePrices::kept_bytes(const Pair& pair, int rank) const {
  const Box want = of(pair.needed, rank);
  const std::span<const Box> dense_reads(&want, pair.rules.dense_read ? 1 : 0);
  const Box storage = storage_block(of(pair.owned, rank), pair.dense, dense_reads);
  if (want == of(pair.owned, rank) || want == storage) return 0.0;
  return static_cast<double>(checked_multiply(volume(want), activation_bytes(plan_.precision)));
}

// A larger storage never makes fewer copies of what is sent; room for the halo saves the copy of
// what stays.
double EdgePrices::least_forward_s(const Pair& pair, int rank) const {
  const Box own = of(pair.owned, rank);
  const Box want = of(pair.needed, rank);
  const Box storage = storage_block(own, pair.dense, std::span(&want, 1));
  const Exchange exchange = exchange_forward(pair.owned, pair.needed, storage, rank);
  return transfer_s(exchange, own, want, rank) / pair.rules.readers;
}

double EdgePrices::backward_s(const Pair& pair, int rank) const {
  const Box have = reader_box(pair, rank);
  const GradientUse use{.shared = pair.rules.shared, .dense = pair.rules.dense_gradient};
  const Exchange exchange = exchange_backward(pair.needed, pair.owned, use, rank);
  return transfer_s(exchange, have, exchange.in_place ? have : of(pair.owned, rank), rank);
}

double EdgePrices::transfer_s(const Exchange& exchange,
                              const Box& from,
                              const Box& to,
                              int rank) const {
  const TransferTraits traits{.element_bytes = activation_bytes(plan_.precision),
                              .source_box = from,
                              .destination_box = to,
                              .accumulate = exchange.accumulate,
                              .zero_first = exchange.zero_first};
  return transfer_time(prices_.platform(), exchange.list, rank, traits).total_s();
}

}  // namespace cnnplan
