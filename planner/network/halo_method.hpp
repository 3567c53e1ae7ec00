// Defines how a convolution waits for the halo of its input.
#pragma once

#include <string_view>

#include "planner/network/network.hpp"

namespace cnnplan {

enum class HaloMethod {
  exchange_first,  // the kernel begins when the halo is there
  // Outputs that need no halo are computed while the halo travels. Separate kernels then compute
  // the strips around these outputs (Dryden et al. 2019, section IV-A).
  // planner/schedule/blocks/interior.hpp says which blocks have such outputs. Other blocks exchange
  // first.
  interior_strips,
};
std::string_view to_text(HaloMethod method);

// True for convolutions that are not transposed.
bool has_halo_method(const LayerParameters& parameters);

}  // namespace cnnplan
