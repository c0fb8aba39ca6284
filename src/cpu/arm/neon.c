/* The inner loops for NEON, which every 64-bit Arm processor has. CPU_EMULATED: compiled for tests
 * on any processor (tests/cpu/emulated_neon.h). */
#include "cpu/arm/bytes.h"
#include "cpu/arm/sums.h"
#include "cpu/ops.h"

static bool available(void)
{
    return true;
}

#define OPS_SUFFIX neon
#include "cpu/ops_template.h"
