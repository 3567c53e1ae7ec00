// When a convolution meets the halo of its input.
#pragma once

#include <string_view>

#include "planner/network/network.hpp"

namespace cnnplan {

enum class HaloMethod {
  exchange_first,  // it begins when the halo is there
  // The outputs that need no halo are computed while that is on its way, the strips beside them
  // behind it (Dryden et al. 2019, section IV-A), by kernels of their own. Where a rank's block has
  // such outputs: planner/schedule/blocks/interior.hpp; elsewhere the same as exchange_first.
  interior_strips,
};
std::string_view to_text(HaloMethod method);

// True for convolutions that are not transposed.
bool has_halo_method(const LayerParameters& parameters);

}  // namespace cnnplan
