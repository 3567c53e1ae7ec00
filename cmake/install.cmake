# Installs the programs, and the networks and platforms that they find by name (shipped_file.hpp).
include(GNUInstallDirs)
install(TARGETS cnnplan)
if(CNNPLAN_EXECUTOR)
  install(TARGETS cnnexec cnnplan-profile cnnplan-weights)
endif()
install(DIRECTORY configs/networks configs/platforms DESTINATION ${CMAKE_INSTALL_DATADIR}/cnnplan
        FILES_MATCHING PATTERN "*.json")
