// Chooses how a convolution is computed by timing the engines that the library recommends.
#pragma once

#include <string>

#include "executor/backend/cudnn/convolution_program.hpp"

namespace cnnplan::cudnn {

// Returns the rules that engines for `spec` have to follow on this library object.
EngineRules rules_of(const Library& library, const KernelSpec& spec);
// Returns the fastest program for `spec` on random data, among all variants and the first few
// engines that the library recommends for each. Engines that also compute the mirror images of
// `spec` are preferred. The library object remembers the choice. The call blocks. An engine that
// fails is passed over.
// @throws BackendError where no engine works, DeviceLostError naming the engine that ended the use
// of the device, InfeasibleError where the device lacks the memory for random data
ConvolutionProgram choose_program(Library& library, const KernelSpec& spec);
// Returns a program for `spec` with the variant and the engine that `name` stands for. `name` is
// ConvolutionProgram::name() of a program for `spec` or for a mirror image of it, where
// padding_begin and padding_end of a dim are exchanged. If the engine cannot compute `spec`
// directly, the input is copied into a padded buffer.
// @throws BackendError naming `name`
ConvolutionProgram named_program(Library& library, const KernelSpec& spec, std::string_view name);
// Returns a program for a convolution of which several ranks must get equal bits. It is the named
// program if that always gives equal bits. Otherwise, it is the first recommended program that runs
// and always gives equal bits.
// @throws BackendError where there is none, DeviceLostError and InfeasibleError as choose_program
ConvolutionProgram reproducible_program(Library& library,
                                        const KernelSpec& spec,
                                        std::string_view name);

}  // namespace cnnplan::cudnn
