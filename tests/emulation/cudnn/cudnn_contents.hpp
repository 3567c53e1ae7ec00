// Reads the attributes of a cuDNN descriptor as a value, for descriptors that need no engine.
#pragma once

#include "tests/emulation/cudnn/cudnn_descriptor.hpp"

namespace cnnplan::emulation {

// Returns the first of the descriptors in a mandatory attribute.
template <typename T>
T only(const Descriptor& from, cudnnBackendAttributeName_t attribute) {
  return from.contents<T>(attribute).at(0);
}

Tensor tensor_of(const Descriptor& from);
Convolution convolution_of(const Descriptor& from);
Pointwise pointwise_of(const Descriptor& from);
// Returns the value of an operation of any kind.
Operation operation_of(const Descriptor& from);
VariantPack variant_pack_of(const Descriptor& from);
KnobChoice knob_choice_of(const Descriptor& from);
EngineConfig engine_config_of(const Descriptor& from);

}  // namespace cnnplan::emulation
