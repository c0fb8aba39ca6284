/* The inner loops for any processor: plain C, as the compiler makes it. */
#define OPS_SUFFIX   scalar
#define FEW_NETWORKS /* the others are 0.4 MB of code, for processors of before 2013 */
#include "cpu/ops_template.h"
