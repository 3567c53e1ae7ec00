// Chooses how a convolution is computed by timing what the library recommends.
#pragma once

#include <string>

#include "executor/backend/cudnn/convolution_program.hpp"

namespace cnnplan::cudnn {

// The rules that engines for `spec` have to follow on this library object.
EngineRules rules_of(const Library& library, const KernelSpec& spec);
// The fastest program for `spec` on random data, among all variants and the first few engines that
// the library recommends for each. Remembered by the library object. Blocks.
// @throws BackendError where there is none
ConvolutionProgram choose_program(Library& library, const KernelSpec& spec);
// The program that ConvolutionProgram::name() gave `name` for `spec` or its mirror image, where the
// padding before and after a block is exchanged. @throws BackendError naming `name`
ConvolutionProgram named_program(Library& library, const KernelSpec& spec, std::string_view name);
// For a convolution that several ranks compute and must get the same bits of: the named program if
// it gives the same bits every time, else, and without a name, the first recommended one that does
// and runs.
// @throws BackendError where there is none
ConvolutionProgram reproducible_program(Library& library,
                                        const KernelSpec& spec,
                                        std::string_view name);

}  // namespace cnnplan::cudnn
