// Holds everything about a layer and one of its inputs that the rules for blocks depend on.
//
// The rules take this value as their argument, and the keys of prices and of classes contain it. A
// rule that depends on a new property finds it here or in LayerTraits, so all keys compare it.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "planner/network/network.hpp"

namespace cnnplan {

// Holds the part of a signature along one dim.
struct DimSignature {
  std::int64_t input_length = 1;
  std::int64_t output_length = 1;
  std::int64_t first = 0;  // along c, the output at which the input begins; may be negative
  WindowDim window{};
  UpsampleDim upsample{};
  bool transposed = false;
  auto operator<=>(const DimSignature&) const = default;

  // Returns the inputs that a block of outputs needs, and the padding that this block sees.
  WindowBlock needed(Range outputs) const;
};

// Holds the properties of one layer and one of its inputs.
struct LayerSignature {
  LayerTraits traits{};                   // of the kind; `resizes` is also set for a gate
  Shape input{};                          // (N, C, D, H, W), where N is the whole batch
  Shape output{};                         // (N, C, D, H, W), where N is the whole batch
  Window window{};                        // where traits.has_window
  std::array<UpsampleDim, 3> upsample{};  // where traits.resizes
  std::int64_t groups = 1;                // groups_of(the layer's parameters)
  std::int64_t first_channel = 0;         // Network::first_channel
  auto operator<=>(const LayerSignature&) const = default;

  // Returns the part of this signature along `dim`.
  DimSignature along(Dim dim) const;
};

// Returns the signature of a layer and the input of this index, for `batch` samples over all ranks.
// @pre the layer has this input
LayerSignature signature_of(const Network& network,
                            LayerIndex layer,
                            std::size_t input,
                            std::int64_t batch);

}  // namespace cnnplan
