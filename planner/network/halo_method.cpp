// Names the halo methods, and the layers that have one.
#include "planner/network/halo_method.hpp"

#include <stdexcept>

namespace cnnplan {

std::string_view to_text(HaloMethod method) {
  switch (method) {
    case HaloMethod::exchange_first:
      return "exchange_first";
    case HaloMethod::interior_strips:
      return "interior_strips";
  }
  throw std::logic_error("halo method");
}

bool has_halo_method(const LayerParameters& parameters) {
  return traits_of(parameters).has_halo_method;
}

}  // namespace cnnplan
