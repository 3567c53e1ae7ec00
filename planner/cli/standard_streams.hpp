// Guards the standard streams of a program, so that no output is lost or lands elsewhere in
// silence.
#pragma once

namespace cnnplan {

// Opens /dev/null in place of closed standard streams, so that no file of the program gets their
// numbers, and nothing that is printed lands in it. Printing to such a stream still fails. Call
// this function first in main().
void occupy_closed_streams();

// Flushes stdout. Call this function when everything is printed.
// @throws IoError unless stdout took all of it
void require_written_output();

// Returns the exit code of a program that would end with `code`. If `code` is 0 and stdout did not
// take all that was printed, it prints an error and returns the code of an IoError.
int code_after_output(const char* program, int code);

}  // namespace cnnplan
