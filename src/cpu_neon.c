/* The inner loops for NEON, which every 64-bit Arm processor has. CPU_EMULATED: compiled for tests
 * on any processor (tests/emulated_neon.h). */
#include "cpu_neon_bytes.h"
#include "cpu_neon_divide.h"
#include "cpu_neon_rows.h"
#include "cpu_neon_sums.h"
#include "cpu_neon_wide.h"
#include "cpu_ops.h"

static bool available(void)
{
    return true;
}

#define OPS_SUFFIX neon
#include "cpu_ops_template.h"
