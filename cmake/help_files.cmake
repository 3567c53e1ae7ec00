# Makes man pages, and completions for bash, zsh and fish, from --help of the built programs. They lie
# in the build tree as in an installation. They need Python.
find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
set(CNNPLAN_HELP_FILES ${Python3_Interpreter_FOUND})
set(help_programs cnnplan)
if(CNNPLAN_EXECUTOR)
  list(APPEND help_programs cnnexec cnnplan-profile cnnplan-weights)
endif()
if(CNNPLAN_HELP_FILES)
  set(help_script ${CMAKE_SOURCE_DIR}/scripts/help-files)
  file(GLOB help_parts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/help_files/*.py)
  set(help_made ${CMAKE_BINARY_DIR}/share/help_files.stamp)
  # --help lists the networks and platforms that ship.
  file(GLOB help_names CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/configs/networks/*.json
       ${CMAKE_SOURCE_DIR}/configs/platforms/*.json)
  add_custom_command(
    OUTPUT ${help_made}
    COMMAND ${Python3_EXECUTABLE} ${help_script} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_BINARY_DIR}/share
            ${help_programs}
    COMMAND ${CMAKE_COMMAND} -E touch ${help_made}
    DEPENDS ${help_programs} ${help_script} ${help_parts} ${help_names}
    VERBATIM COMMENT "Writing man pages and completions")
  add_custom_target(cnnplan_help_files ALL DEPENDS ${help_made})
endif()
