// Says which build a program is.
#pragma once

#include <string>

namespace cnnplan {

// Returns the text of --version: the version, the commit that was built, and the backends and
// libraries that the build found. "with changes" marks a build of files that are in no commit.
std::string version_text(const std::string& program);
// Returns the commit of version_text() alone, or an empty text where the build does not know it.
std::string built_commit();

}  // namespace cnnplan
