// Looks up rates by precision.
#include "planner/kernel/kernel_rates.hpp"

#include <algorithm>
#include <stdexcept>

namespace cnnplan {

const PrecisionRates& rates_of(const KernelRates& rates, Precision precision) {
  const auto find = [&rates](Precision wanted) {
    return std::find_if(rates.precisions.begin(),
                        rates.precisions.end(),
                        [wanted](const PrecisionRates& r) { return r.precision == wanted; });
  };
  auto found = find(precision);
  if (found == rates.precisions.end()) found = find(Precision::fp32);
  if (found == rates.precisions.end()) throw std::logic_error("rates of a device without fp32");
  return *found;
}

}  // namespace cnnplan
