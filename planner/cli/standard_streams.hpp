// Guards the standard streams of a program, so that no output is lost or lands elsewhere in
// silence.
#pragma once

namespace cnnplan {

// Opens /dev/null in place of closed standard streams, so that no file of the program gets their
// numbers, and nothing that is printed lands in it. Printing to such a stream still fails. Call
// this function first in main().
void occupy_closed_streams();

// Call this function when everything is printed. @throws IoError unless stdout took all of it
void require_written_output();

// Returns `code`, or the code of an IoError, which it prints with the name of the program, if the
// program succeeded and stdout did not take all that was printed.
int code_after_output(const char* program, int code);

}  // namespace cnnplan
