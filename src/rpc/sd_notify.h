/* Messages to the service manager: datagrams to the socket that NOTIFY_SOCKET names [sd_notify(3)].
 * Without one every call does nothing. */
#ifndef CUZK_RPC_SD_NOTIFY_H
#define CUZK_RPC_SD_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* "READY=1", "STOPPING=1", "STATUS=...", several with newlines between. False: nobody was told. */
bool cuzk_sd_notify(const char *fmt, ...) CUZK_PRINTF(1, 2);

/* How often WATCHDOG=1 should be sent: half of WATCHDOG_USEC, in milliseconds; 0: not wanted. */
uint64_t cuzk_sd_watchdog_ms(void);

#endif
