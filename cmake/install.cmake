# Installs two components. The planner has all that plans on a machine without MPI; the executor has
# the programs that run plans and time kernels. The programs find shipped files by shipped_file.hpp.
include(GNUInstallDirs)
set(installed_data ${CMAKE_INSTALL_DATADIR}/cnnplan)

install(TARGETS cnnplan COMPONENT planner)
install(DIRECTORY configs/networks configs/platforms configs/schemas DESTINATION ${installed_data}
        COMPONENT planner FILES_MATCHING PATTERN "*.json")
if(CNNPLAN_EXECUTOR)
  install(TARGETS cnnexec cnnplan-profile cnnplan-weights COMPONENT executor)
endif()

# Installs the completions of a program.
function(cnnplan_install_completions program component)
  foreach(file bash-completion/completions/${program} zsh/site-functions/_${program}
               fish/vendor_completions.d/${program}.fish)
    get_filename_component(folder ${file} DIRECTORY)
    install(FILES ${CMAKE_BINARY_DIR}/share/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder}
            COMPONENT ${component})
  endforeach()
endfunction()

if(CNNPLAN_HELP_FILES)
  set(made_pages ${CMAKE_BINARY_DIR}/share/man/man1)
  set(pages_of_executor cnnexec.1 cnnplan-profile.1 cnnplan-weights.1)
  # The commands of the planner have a page each.
  set(excluded)
  foreach(page ${pages_of_executor})
    list(APPEND excluded PATTERN ${page} EXCLUDE)
  endforeach()
  install(DIRECTORY ${made_pages} DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT planner ${excluded})
  cnnplan_install_completions(cnnplan planner)
  if(CNNPLAN_EXECUTOR)
    list(TRANSFORM pages_of_executor PREPEND ${made_pages}/)
    install(FILES ${pages_of_executor} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT executor)
    foreach(program cnnexec cnnplan-profile cnnplan-weights)
      cnnplan_install_completions(${program} executor)
    endforeach()
  endif()
endif()
