// Looks at the error flags of both libraries that print.
#include "planner/cli/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/message.hpp"

namespace cnnplan {

void occupy_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. The direction is the wrong one, so that use fails.
    const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != descriptor && opened >= 0) ::close(opened);
  }
}

void require_written_output() {
  const bool is_written =
      static_cast<bool>(std::cout.flush()) && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (!is_written) throw IoError("standard output: cannot write all of it");
}

int code_after_output(const char* program, int code) {
  if (code != static_cast<int>(ExitCode::ok)) return code;
  try {
    require_written_output();
  } catch (const Error& error) {
    print_error(program, error.what());
    return static_cast<int>(error.exit_code());
  }
  return code;
}

}  // namespace cnnplan
