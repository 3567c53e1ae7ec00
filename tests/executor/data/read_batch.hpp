// Reads samples and labels of one mini-batch in one call.
#pragma once

#include <cstdint>

#include "executor/data/data_source.hpp"

namespace cnnplan::test {

// @throws IoError
template <typename Source>
void read_batch(Source&& source,
                std::int64_t step,
                const TensorView& samples,
                const TensorView& labels) {
  source.read_samples(step, samples);
  source.read_labels(step, labels);
}

}  // namespace cnnplan::test
