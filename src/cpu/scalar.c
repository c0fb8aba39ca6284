/* The inner loops for any processor: plain C, as the compiler makes it. */
#include "cpu/ops.h"

static bool available(void)
{
    return true;
}

#define OPS_SUFFIX scalar
#include "cpu/ops_template.h"
