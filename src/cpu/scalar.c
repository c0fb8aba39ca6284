/* The inner loops for any processor: plain C, as the compiler makes it. */
#define OPS_SUFFIX scalar
#include "cpu/ops_template.h"
