// Describes the program and the contents of its input files, for comparison between ranks.
#pragma once

#include <string>
#include <vector>

#include "executor/agreement/equal_facts.hpp"

namespace cnnplan {

// Returns the version of the program, and the digest of its executable, which also stands for how
// it was built. An executable that cannot be read has the reason as its value.
std::vector<Fact> program_facts();

// Both functions describe the content of the file that an option names. `option` becomes part of
// the name of each fact. file_facts() returns the digest of all bytes. sample_facts() is for HDF5
// files of samples. It describes samples, labels and targets by their types, shapes and digests,
// and adds the size of the file. A digest covers the attributes `mean` and `std`, and the whole
// dataset, or some blocks (sampled_blocks.hpp) of one with more than 2^22 values. The list is empty
// if `file` is empty. A file that cannot be read has the reason as its value, so that ranks without
// the file differ from others. These functions are not collective.
std::vector<Fact> file_facts(const std::string& option, const std::string& file);
std::vector<Fact> sample_facts(const std::string& option, const std::string& file);

}  // namespace cnnplan
