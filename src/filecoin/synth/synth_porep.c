#include "filecoin/synth/synth_job.h"
cuzk_status cuzk_synth_porep(synth_job *job, cuzk_err *err)
{
    return cuzk_fail(err, CUZK_UNSUPPORTED, 0, "%s is not here yet", job->type->name);
}
