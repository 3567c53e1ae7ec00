// Prices the transfers between a layer and one of its inputs for every pair of splits.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/blocks/fused_units.hpp"
#include "planner/search/graph/cost_graph.hpp"
#include "planner/search/pricing/gather_bounds.hpp"
#include "planner/search/pricing/gather_choice.hpp"
#include "planner/search/pricing/message_lower_bound.hpp"
#include "planner/search/pricing/receive_bounds.hpp"

namespace cnnplan {

// Holds seconds forward and back. Rows are the splits of the tensor, columns the splits of its
// reader.
struct EdgePrice {
  CostMatrix slowest;             // on the slowest probed rank, as if there were no other reader
  CostMatrix again;               // of fetching the tensor again, if the reader reads it again
  CostMatrix kept_bytes;          // kept by the reader for its backward, in addition to the tensor
  std::vector<CostMatrix> least;  // unavoidable on each of probe_ranks(ranks); 0 with overlap
};

// The price of a pair of splits follows from a ReadSignature and the two splits alone, by the
// functions of planner/schedule/blocks that the lowering calls.
//
// Prices are exact for a tensor with one reader that is no add. An add passes on the block of the
// gradient that it got, perhaps with a halo around it. It is priced as a dense block. The readers
// of one tensor do not know each other's meshes:
// - Readers that need the same blocks share one transfer forward. `slowest` counts it in full for
//   each reader, `least` divided by the number of readers.
// - Whether a tensor is stored with room for a halo depends on all of its readers. `slowest` takes
//   each for the only one; `least` counts only copies that are made either way. The two differ by
//   copies of this rank's block.
class EdgePrices {
 public:
  // Keeps references. All layers of the plan must be on one mesh, no matter which. `spare_s` holds
  // by probed rank the most seconds that transfers may take in a plan worth finding. A pair of
  // splits whose messages to one of these ranks surely take longer counts as priced: 1e9 s in
  // `slowest` and `least`.
  EdgePrices(const FusedUnits& fused, const PriceList& prices, std::vector<double> spare_s);

  // An edge is a tensor and a reader, each with several splits to choose from.
  class Edge;

  // Returns the edge for these splits. Equal signatures share an edge. In a new edge, only pairs
  // whose messages take longer than `spare_s` count as priced. For other pairs, `slowest` and
  // `least` bound it from below by the number and the sizes of messages, and `again` and
  // `kept_bytes` are 0. @pre `consumer` has this input
  Edge& operator()(LayerIndex consumer,
                   std::size_t input,
                   const std::vector<Split>& source_splits,
                   const std::vector<Split>& consumer_splits);

  // Names a pair of splits of an edge.
  struct Pair {
    Edge* edge = nullptr;
    int row = 0;
    int column = 0;
    auto operator<=>(const Pair&) const = default;
  };
  static bool has_price(const Pair& pair);
  // Prices the pairs that have no price yet, on all cores. @returns these pairs, each once
  std::vector<Pair> price(std::vector<Pair> pairs) const;

 private:
  // Holds everything that the prices of an edge depend on.
  struct Key {
    ReadSignature signature{};
    std::vector<Split> source_splits{};
    std::vector<Split> reader_splits{};
    auto operator<=>(const Key&) const = default;
  };
  // Holds the blocks of a pair.
  struct Blocks {
    const RankBoxes& owned;
    const RankBoxes& needed;
    const RankBoxes& outputs;  // the reader's blocks
    const ReadSignature& signature;
    const std::vector<NodeParts>& methods;  // in which nodes could gather the needed blocks
    const Split& split;                     // of the tensor
    bool loads;                             // ranks load all that the reader needs
  };
  // Bounds all pairs of an edge from below.
  struct Bounds {
    const std::vector<std::vector<Box>>& owned;  // by row and probed rank
    ReceiveBounds there;
    ReceiveBounds back;
    const GatherBounds& gathers;
  };
  // Holds one rank's part in a pair.
  struct Part {
    int rank = 0;
    Box own;
    Box want;
    TransferList there;
  };
  // Says how a rank gets its part.
  struct Arrival {
    double seconds = 0.0;
    bool has_own_buffer = false;  // the part does not lie where the tensor is stored
  };

  void add_blocks(const Key& key, Edge& edge);
  std::vector<RankBoxes> blocks(const Shape& shape, const std::vector<Split>& splits);
  // Returns the boxes of the ranks of `least`, for each of these blocks.
  std::vector<std::vector<Box>> probed_boxes(const std::vector<RankBoxes>& all) const;
  Blocks blocks_of(const Pair& pair) const;
  void bound(const Pair& pair, const Bounds& bounds) const;
  void set(const Pair& pair) const;
  static Part part_of(const Blocks& blocks, int rank, bool exchanges);
  // Returns the block that the reader's memory of the tensor holds: all of its output if it copies.
  static Box reader_box(const Blocks& blocks, const Part& part);
  static Box storage(const Blocks& blocks, const Part& part);
  Arrival forward(const Blocks& blocks, const Part& part) const;
  // Returns how a rank gets its part if nodes gather the tensor in `parts`.
  Arrival gathered(const Blocks& blocks, const RankBoxes& parts, const Part& part) const;
  // Returns how nodes gather the tensor for `reader`, if that is faster than one transfer, else
  // null.
  const NodeParts* gather_of(const Blocks& blocks, const LayerTraits& reader) const;
  double activation_bytes_of(const Box& box) const;
  // Returns the least share of a reader in a transfer that several readers share. `gather` says how
  // nodes gather the tensor for one of them; null: not at all.
  double least_forward_s(const Blocks& blocks, const Part& part, const NodeParts* gather) const;
  // Returns the blocks_of_sums of the gradient, if the pair has them. Only replicas have them.
  static std::optional<RankBoxes> sums_of(const Blocks& blocks);
  // Bounds a way back by `sums`. `own` is the rank's box of the tensor.
  double least_backward_s(const Blocks& blocks,
                          const RankBoxes& sums,
                          int rank,
                          const Box& own) const;
  double backward_in_sums_s(const Blocks& blocks, const RankBoxes& sums, const Part& part) const;
  double backward_s(const Blocks& blocks, const Part& part) const;
  double transfer_s(const Exchange& exchange,
                    const Box& from,
                    const Box& to,
                    int rank,
                    const ListOf& list_of) const;

  const FusedUnits& fused_;
  const Plan& plan_;
  const PriceList& prices_;
  std::vector<int> ranks_;  // the ranks of `least`
  std::vector<double> spare_s_;
  MessageLowerBound message_lower_bound_;
  GatherChoice gather_choice_;
  double exposed_ = 1.0;  // the least part of a message that kernels wait for
  std::map<Key, Edge> edges_;
  RankBoxes::Tables tables_;
};

class EdgePrices::Edge {
 public:
  const EdgePrice& price() const { return price_; }
  int rows() const { return price_.slowest.rows(); }
  int columns() const { return price_.slowest.columns(); }

 private:
  friend EdgePrices;

  EdgePrice price_;
  std::vector<char> has_price_;  // by row and column
  const Key* key_ = nullptr;
  std::vector<RankBoxes> owned_;                 // by row
  std::vector<RankBoxes> needed_;                // by column
  std::vector<RankBoxes> outputs_;               // by column, the reader's blocks
  std::vector<std::vector<NodeParts>> methods_;  // by column
};

}  // namespace cnnplan
