// Ctrl-C and SIGTERM as a flag that long tasks look at.
#pragma once

namespace geak::support {

// Installs handlers for SIGINT and SIGTERM that raise the flag; a second Ctrl-C ends the program at
// once. Call it once, from the start of a program that stops cleanly on Ctrl-C.
void install_interrupt_handlers();

// Whether such a signal came. Without the handlers, always false.
bool interrupted();

// A descriptor that becomes readable when the flag is raised, for poll(); -1 without the handlers.
int interrupt_descriptor();

}  // namespace geak::support
