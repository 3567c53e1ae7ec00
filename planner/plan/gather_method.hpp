// Defines how ranks gather the input of a layer from other nodes.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "planner/base/enumerators.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Says in how many transfers a layer gets its input. With `direct`, every rank gets all that it
// needs in one transfer. The other methods are for ranks of a node that need the same block. In the
// first transfer, each of them gets one part of the block, so that every byte crosses between two
// nodes once. In the second transfer, the ranks of a node exchange the parts. The last letter names
// the dim along which the block is cut.
enum class GatherMethod { direct, by_node_n, by_node_c, by_node_d, by_node_h, by_node_w };
std::string_view to_text(GatherMethod method);

// Returns the dim along which a node cuts the block, or nothing for `direct`.
std::optional<Dim> cut_dim(GatherMethod method);
// Returns the method that cuts along `dim`.
GatherMethod by_node(Dim dim);

template <>
struct Enumerators<GatherMethod> {
  static constexpr std::array all{GatherMethod::direct,
                                  GatherMethod::by_node_n,
                                  GatherMethod::by_node_c,
                                  GatherMethod::by_node_d,
                                  GatherMethod::by_node_h,
                                  GatherMethod::by_node_w};
};

}  // namespace cnnplan
