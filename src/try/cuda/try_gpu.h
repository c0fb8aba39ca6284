/* Before a student's file that nvcc compiles: the file's own main function gets another name. */
#ifndef STENCIL_TRY_GPU_H
#define STENCIL_TRY_GPU_H

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "try/cuda/try_arguments.h"

#define main try_main_of_the_file

#endif
