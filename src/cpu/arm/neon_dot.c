/* The inner loops for NEON with dot products (FEAT_DotProd, most 64-bit Arm processors since
 * 2018): those of NEON, and four taps of bytes in one instruction. Nothing here may run before
 * available() said yes. CPU_EMULATED: compiled for tests on any processor. */
#ifndef CPU_EMULATED
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "cpu/arm/bytes.h"
#include "cpu/arm/direct8_dot.h"
#include "cpu/arm/sums.h"
#include "cpu/ops.h"

static bool available(void)
{
#ifdef CPU_EMULATED
    return true;
#else
    return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#endif
}

#define OPS_SUFFIX neon_dot
#include "cpu/ops_template.h"
