// Chooses how a convolution is computed by timing the engines that the library recommends.
#pragma once

#include <string>

#include "executor/backend/cudnn/convolution_program.hpp"

namespace cnnplan::cudnn {

// Holds a convolution, and whether its operands begin inside their buffers (KernelConstants).
struct PlacedConvolution {
  KernelSpec spec;
  bool begins_inside = false;
};

// Returns the rules that engines for `spec` have to follow on this library object.
EngineRules rules_of(const Library& library, const KernelSpec& spec);
// Returns the fastest program for the convolution on random data, among all variants and the first
// Options::engine_trials of trial_order() for each. Engines that also compute the mirror images of
// the convolution are preferred. The library object remembers the choice. The call blocks. An
// engine that fails counts as tried, and is passed over. If all of them fail, trials go on until an
// engine runs. A variant with bias or ReLU is left out where cuDNN would have to compile each of
// its engines, and another variant runs.
// @throws BackendError where no engine works, DeviceLostError naming the engine that ended the use
// of the device, InfeasibleError where the device lacks the memory for random data
ConvolutionProgram choose_program(Library& library, const PlacedConvolution& convolution);
// Returns a program for the convolution with the variant and the engine that `name` stands for.
// `name` is ConvolutionProgram::name() of a program for it or for a mirror image of it, where
// padding_begin and padding_end of a dim are exchanged. If the engine cannot compute the
// convolution directly, the input is copied into a padded buffer. If the engine needs operands that
// begin where their buffers do, and they begin inside, the program has the first recommended engine
// that runs and always gives equal bits. It also has this engine if the named one needs another
// number of stored channels (planner/schedule/stored_samples.hpp). A profile has one name for
// convolutions that differ in nothing else.
// @throws BackendError naming `name`; DeviceLostError and InfeasibleError as choose_program
ConvolutionProgram named_program(Library& library,
                                 const PlacedConvolution& convolution,
                                 std::string_view name);
// Returns a program for a convolution of which several ranks must get equal bits. It is the named
// program if that always gives equal bits. Otherwise, it is the first recommended program that runs
// and always gives equal bits.
// @throws BackendError where there is none, DeviceLostError and InfeasibleError as choose_program
ConvolutionProgram reproducible_program(Library& library,
                                        const PlacedConvolution& convolution,
                                        std::string_view name);

}  // namespace cnnplan::cudnn
