// How a tensor gets from the blocks that the ranks own to those that a layer needs, and how its
// gradient gets back. The lowering runs these exchanges, the search prices them.
#pragma once

#include <memory>
#include <span>

#include "planner/network/network.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// All ranks and all of their schedules have one.
using SharedRule = std::shared_ptr<const TransferRule>;
SharedRule rule_of(const RankBoxes& sources, const RankBoxes& destinations);

// One rank's part.
struct Exchange {
  TransferList list;
  SharedRule rule{};        // of the lists of all ranks, where it was given
  bool in_place = false;    // received into the buffer that is sent from; its own part stays there
  bool accumulate = false;  // what is received is added
  bool zero_first = false;
};

// The block that a rank's part of a tensor is stored in: with the halo of its readers around it
// where all readers of dense blocks want the same one, so that no copy into a haloed buffer is
// needed. `dense_reads` are the blocks that they read; `dense`: the producer writes dense blocks
// only.
Box storage_block(const Box& own, bool dense, std::span<const Box> dense_reads);

// False where every rank owns what it needs. A reader that copies its inputs moves them in any
// case.
bool exchanges_forward(const LayerTraits& reader, const RankBoxes& owned, const RankBoxes& needed);
// True where ranks that load samples load what a layer on the same mesh needs, which is more than
// they own and nowhere less: then there is nothing to exchange.
// @pre the layer reads dense blocks, and no other reads the samples
bool loads_needed(const RankBoxes& owned, const RankBoxes& needed);
// False where every rank has the gradient of what it owns. Replicas that own one block each may
// hold different parts of its gradient. A reader that copies its inputs moves gradients in any
// case.
bool exchanges_backward(const LayerTraits& reader, const RankBoxes& needed, const RankBoxes& owned);

// From owned to needed blocks. In place where the tensor is stored as `storage`, a box with room
// for the block that this rank needs, or where the rank needs what it owns.
Exchange exchange_forward(SharedRule owned_to_needed, const Box& storage, int rank);
// The same of a list that is known: `own` and `want` are what the rank owns and needs.
Exchange exchange_forward(
    TransferList list, const Box& own, const Box& want, const Box& storage, int rank);

// From owned blocks to needed ones in the output of a layer that copies its inputs.
Exchange exchange_into_output(SharedRule owned_to_needed, int rank);

// What a slice does with the gradient of its input, which it shares with all slices of that tensor,
// the last of them first.
struct SlicedGradient {
  bool is_shared = false;  // false of other layers
  bool clears = false;     // the first, of slices that do not cover every channel once
  bool adds = false;       // those behind it, where slices overlap
  auto operator<=>(const SlicedGradient&) const = default;
};
// By layer.
std::vector<SlicedGradient> sliced_gradients(const Network& network);

// What the producer of a tensor and its readers allow with a gradient.
struct GradientUse {
  bool shared = false;    // somebody else reads the needed block: it must not be overwritten
  bool dense = false;     // the producer reads dense blocks only
  bool replicas = false;  // of the producer's blocks, which take the same bits: a fixed order
  SlicedGradient sliced{};
  auto operator<=>(const GradientUse&) const = default;
};

// True when a layer of these parameters hands its own gradient, or a part of it, on to this input:
// others may read it, too. A second input of an add that is scaled gets a gradient of its own.
bool shares_gradient(const LayerParameters& parameters, std::size_t input);

// From needed to owned blocks: halos are added to the own block, in place where that may be
// overwritten and is read inside its halo. Where that has replicas, all parts are added in the
// order of the blocks that they are from.
Exchange exchange_backward(SharedRule needed_to_owned, const GradientUse& use, int rank);
// The same of a list that is known, in whose order it stays: `have` and `own` are what the rank
// needed and owns.
Exchange exchange_backward(
    TransferList list, const Box& have, const Box& own, const GradientUse& use, int rank);

}  // namespace cnnplan
