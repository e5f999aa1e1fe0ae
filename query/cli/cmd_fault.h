/* cmd_fault.h: the end of the program when a mapped file of an index is truncated. */
#ifndef BS_QUERY_CLI_CMD_FAULT_H
#define BS_QUERY_CLI_CMD_FAULT_H

/* From now on SIGBUS, as of a file of an index that was truncated while it was mapped, ends the
 * program with a message, exit status 2 and the output that was complete. Sources are read, never
 * mapped. */
void bs_fault_catch(void);

#endif
