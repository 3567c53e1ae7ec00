// Draws windows and mirrorings by sample and pass.
#include "executor/data/augmentation.hpp"

#include "executor/backend/random.hpp"

namespace cnnplan {
namespace {

// Rounds down, also when the window is larger than the sample.
std::int64_t half_of(std::int64_t rest) {
  return rest >= 0 ? rest / 2 : -((1 - rest) / 2);
}

}  // namespace

WindowPlacement centred(const Shape& stored, const Shape& window) {
  WindowPlacement place;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    place.first[i] = half_of(stored[spatial_dims[i]] - window[spatial_dims[i]]);
  }
  return place;
}

WindowPlacement drawn(const Augmentation& augmentation,
                      const Shape& stored,
                      const Shape& window,
                      std::uint64_t seed,
                      std::int64_t pass,
                      std::int64_t sample) {
  const std::uint64_t key = random_key({.seed = seed,
                                        .use = RandomUse::augmentation,
                                        .stream = static_cast<std::uint64_t>(sample),
                                        .step = static_cast<std::uint64_t>(pass)});
  WindowPlacement place;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const std::int64_t extent = stored[spatial_dims[i]];
    const std::int64_t padding = padding_of(augmentation, extent);
    const std::int64_t places = extent + 2 * padding - window[spatial_dims[i]] + 1;
    const auto chosen = random_bits(key, i) % static_cast<std::uint64_t>(places);
    place.first[i] = static_cast<std::int64_t>(chosen) - padding;
  }
  place.mirrored = augmentation.mirrors && random_bits(key, spatial_dims.size()) % 2 == 1;
  return place;
}

}  // namespace cnnplan
