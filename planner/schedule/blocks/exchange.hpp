// Says how a tensor gets from owned blocks to the blocks that a layer needs, and how its gradient
// gets back. The lowering runs these exchanges, and the search prices them.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "planner/network/network.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// The schedules of all ranks share one rule for each exchange, because a rule may be large.
using SharedRule = std::shared_ptr<const TransferRule>;
// Returns a new rule, which is never null.
SharedRule rule_of(const RankBoxes& sources, const RankBoxes& destinations, int ranks_per_node = 1);

// Holds one rank's part of an exchange.
struct Exchange {
  TransferList list;        // what the rank sends and receives
  SharedRule rule{};        // yields the lists of all ranks; null where a list was given
  bool in_place = false;    // received into the buffer that is sent from; its own part stays there
  bool accumulate = false;  // received values are added
  bool zero_first = false;  // the destination is cleared before anything is received
};

// Returns the block in which a rank stores its part `own` of a tensor. It includes the halo if all
// readers of dense blocks read one and the same block, which contains `own`, so that they need no
// copy. `dense_reads` lists the blocks that they read. If `dense` is set, the tensor's producer
// writes dense blocks only, so the result is `own`.
Box storage_block(const Box& own, bool dense, std::span<const Box> dense_reads);

// True if an input has to move before the layer `reader` can run. It is false where every rank owns
// the block that it needs. Inputs that a reader copies always move.
bool exchanges_forward(const LayerTraits& reader, const RankBoxes& owned, const RankBoxes& needed);
// True where ranks that load samples also load the halos that a layer on the same mesh needs, so
// that nothing is exchanged. Every needed block then contains the owned block.
// @pre the layer reads dense blocks, and no other layer reads the samples
bool loads_needed(const RankBoxes& owned, const RankBoxes& needed);
// True if the gradient of an input has to move after the backward pass of `reader`. It is false
// where every rank has the complete gradient of its owned block. Replicas that own one block may
// hold different parts of its gradient. Gradients of inputs that a reader copies always move.
bool exchanges_backward(const LayerTraits& reader, const RankBoxes& needed, const RankBoxes& owned);

// Returns the blocks in which parts of a gradient are summed before the sums go to the ranks that
// own the tensor. The result is absent if every part goes to its owners at once. Sums in between
// save bytes where on average more than two coordinates along c hold parts of a channel, and
// replicas own it: each replica would get all parts whole. Instead, each rank sums the channels
// that it has on the mesh of the reader, and the owners gather these sums. Blocks of fewer than 512
// elements, copied inputs and meshes with an axis l have no such sums.
// @pre exchanges_backward(reader, needed, owned)
std::optional<RankBoxes> blocks_of_sums(const LayerTraits& reader,
                                        const RankBoxes& needed,
                                        const RankBoxes& owned);

// True if a layer may gather an input with these owned blocks node by node (GatherMethod). The kind
// of the layer has one input, and each element of the input has one owner. The ranks of each node
// first gather the parts that RankBoxes::divided_in_nodes gives of their needed blocks.
bool may_gather_by_node(const LayerTraits& reader, const RankBoxes& owned);

// Returns one rank's part of the exchange from owned to needed blocks. It works in place where
// `storage`, the storage_block() of the tensor, is the needed block, or where the rank owns just
// the block that it needs.
Exchange exchange_forward(SharedRule owned_to_needed, const Box& storage, int rank);
// Returns the same exchange for a given list, without a rule. The rank owns `own` and needs `want`.
Exchange exchange_forward(
    TransferList list, const Box& own, const Box& want, const Box& storage, int rank);

// Returns one rank's part of the exchange that writes an input into other memory, such as the
// output of a concat or slice.
Exchange exchange_into_output(SharedRule owned_to_needed, int rank);

// Says how a slice writes the gradient of its input. All slices of one tensor share this gradient,
// and the last slice writes first.
struct SlicedGradient {
  bool is_shared = false;  // false for layers that are no slices
  bool clears = false;     // the first to write, unless slices cover every channel once
  bool adds = false;       // the others, where slices overlap
  auto operator<=>(const SlicedGradient&) const = default;
};
// Returns how each layer of the network writes the gradient of its input, if it is a slice.
IndexedVector<LayerIndex, SlicedGradient> sliced_gradients(const Network& network);

// Says how the gradient of a tensor may be used, given the tensor's producer and readers.
struct GradientUse {
  bool shared = false;    // the needed block has another reader, so it must not be overwritten
  bool dense = false;     // the producer reads dense blocks only
  bool replicas = false;  // replicas of the producer's block need equal bits, so a fixed order
  SlicedGradient sliced{};
  auto operator<=>(const GradientUse&) const = default;
};

// True if a layer with these parameters hands the gradient of its output, or a part of it, to the
// input of this index as it is. Other layers may then read the same memory. The scaled input of an
// add gets a gradient of its own.
bool shares_gradient(const LayerParameters& parameters, std::size_t input);

// Returns one rank's part of the exchange of a gradient from needed to owned blocks, which adds the
// received halos to the own block. It works in place if the needed block contains the owned block,
// the rank sends no part of its own block, and `use` allows to overwrite the needed block and to
// read a part of it. Otherwise, received parts that cover the own block without overlap are written
// instead of added. A block with replicas is never summed in place: its parts are added in the
// order of their source blocks. The gradient of a slice is written as use.sliced says.
Exchange exchange_backward(SharedRule needed_to_owned, const GradientUse& use, int rank);
// Returns the same exchange for a given list, whose order it keeps. The rank has the gradient of
// `have`, the block that it needed, and owns `own`.
Exchange exchange_backward(
    TransferList list, const Box& have, const Box& own, const GradientUse& use, int rank);

}  // namespace cnnplan
