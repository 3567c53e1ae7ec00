# Writes the source of --version, with the commit that is built. It runs as a script before every
# build: cmake -D source=... -D result=... -D version=... (and build, backends, libraries).
find_program(GIT git)
set(commit "unknown: not built from a clone")
if(GIT AND EXISTS ${source}/.git)
  execute_process(COMMAND ${GIT} -C ${source} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  execute_process(COMMAND ${GIT} -C ${source} status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit ${head})
    if(changes)
      string(APPEND commit " with changes")
    endif()
  endif()
endif()
# The result keeps its time where nothing changed, so that nothing is compiled again.
configure_file(${source}/planner/cli/version_text.cpp.in ${result} @ONLY)
