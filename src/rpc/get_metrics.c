/* What GetMetrics answers: the text of HTTP's /metrics, with the types of the established daemon.
 */
#include "engine/engine_metrics.h"
#include "rpc/service.h"

char *cuzk_service_metrics(engine *e)
{
    return cuzk_engine_metrics(e, false);
}
