// Finds the files at hand from which a plan was made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

struct FoundFile {
  std::string name;  // the path
  std::string text;  // the whole content
};

// Compares files with the digests that the plan records of its platform and its profile. Such files
// give the prices of the plan again.
class InputMatcher {
 public:
  explicit InputMatcher(const Plan& plan);

  // Returns the file that was `named`. If nothing was named, it looks for the file `standard`. If
  // `standard` is default_platform_file, it then looks among the shipped platforms. The result is
  // absent for a file from which the plan was not made. A plan without records accepts any file.
  // The file is read once.
  // @throws IoError; InputError for a file that read_file() refuses
  std::optional<FoundFile> find(const std::string& named, const std::string& standard);
  // Says why the found files do not give the prices of the plan. The text is empty if they do.
  std::string problem() const;

 private:
  // Returns a shipped platform that the plan was made from, and removes it from missing_. The
  // result is absent unless `standard` is default_platform_file.
  std::optional<FoundFile> shipped(const std::string& standard);

  bool any_;
  std::vector<InputFile> missing_;
  std::string other_;
};

}  // namespace cnnplan
