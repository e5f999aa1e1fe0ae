/*
 * cmd_fault.h: what becomes of the program when a file of the index is truncated, or cannot be read, while it is mapped into
 * memory: SIGBUS. Sources are read, never mapped. Only for main.c: the library installs no signal handlers.
 */
#ifndef BS_QUERY_CLI_CMD_FAULT_H
#define BS_QUERY_CLI_CMD_FAULT_H

/* From now on such a fault ends the program with a message, exit status 2, and the output that was complete. */
void bs_fault_catch(void);

#endif
