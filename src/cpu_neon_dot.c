/* The inner loops for NEON with dot products (FEAT_DotProd, most 64-bit Arm processors since
 * 2018): those of NEON, and four taps of bytes in one instruction. Nothing here may run before
 * available() said yes. CPU_EMULATED: compiled for tests on any processor. */
#ifndef CPU_EMULATED
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "cpu_neon_bytes.h"
#include "cpu_neon_divide.h"
#include "cpu_neon_quads.h"
#include "cpu_neon_sums.h"
#include "cpu_neon_wide.h"
#include "cpu_ops.h"

static bool available(void)
{
#ifdef CPU_EMULATED
    return true;
#else
    return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#endif
}

#define OPS_SUFFIX neon_dot
#include "cpu_ops_template.h"
