// Products of tensors that were packed so that their inner loop reads memory in order.
#pragma once

#include <cstdint>

namespace cnnplan::onednn {

// A panel has so many channels of consecutive positions, (positions, panel_channels).
inline constexpr std::int64_t panel_channels = 16;

// Packs `count` positions that are `step` floats apart: panel i, which begins `panel_floats` behind
// the one before, gets channels [16 i, 16 (i + 1)).
void pack_positions(const float* from,
                    std::int64_t step,
                    std::int64_t count,
                    std::int64_t panels,
                    std::int64_t panel_floats,
                    float* to);
// The same of zeros.
void pack_zeros(std::int64_t count, std::int64_t panels, std::int64_t panel_floats, float* to);

// sums[i][j] = sum over `positions` of x[p][i] * y[p][j], and with `adds` what was there besides;
// rows of `sums` are `step` floats apart. @pre x and y are panels
void multiply_panels(const float* x,
                     const float* y,
                     std::int64_t positions,
                     bool adds,
                     std::int64_t step,
                     float* sums);

}  // namespace cnnplan::onednn
