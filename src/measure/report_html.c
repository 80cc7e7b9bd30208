#include "measure/report.h"
