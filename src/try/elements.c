/* Elements of arrays whose type the student's file names: see way.h. */
#include <math.h>

#include "try/way.h"

void try_element_put(void *at, enum try_type type, long long i, double value)
{
    switch (type) {
    case TYPE_F32:
        ((float *)at)[i] = (float)value;
        break;
    case TYPE_F64:
        ((double *)at)[i] = value;
        break;
    case TYPE_I8:
        ((int8_t *)at)[i] = (int8_t)value;
        break;
    case TYPE_U8:
        ((uint8_t *)at)[i] = (uint8_t)value;
        break;
    case TYPE_I16:
        ((int16_t *)at)[i] = (int16_t)value;
        break;
    case TYPE_U16:
        ((uint16_t *)at)[i] = (uint16_t)value;
        break;
    case TYPE_I32:
        ((int32_t *)at)[i] = (int32_t)value;
        break;
    case TYPE_U32:
        ((uint32_t *)at)[i] = (uint32_t)(int64_t)value;
        break;
    case TYPE_I64:
        ((int64_t *)at)[i] = (int64_t)value;
        break;
    case TYPE_U64:
        ((uint64_t *)at)[i] = (uint64_t)(int64_t)value;
        break;
    case TYPE_NONE:
        break;
    }
}

double try_element_get(const void *at, enum try_type type, long long i)
{
    switch (type) {
    case TYPE_F32:
        return ((const float *)at)[i];
    case TYPE_F64:
        return ((const double *)at)[i];
    case TYPE_I8:
        return ((const int8_t *)at)[i];
    case TYPE_U8:
        return ((const uint8_t *)at)[i];
    case TYPE_I16:
        return ((const int16_t *)at)[i];
    case TYPE_U16:
        return ((const uint16_t *)at)[i];
    case TYPE_I32:
        return ((const int32_t *)at)[i];
    case TYPE_U32:
        return ((const uint32_t *)at)[i];
    case TYPE_I64:
        return (double)((const int64_t *)at)[i];
    case TYPE_U64:
        return (double)((const uint64_t *)at)[i];
    case TYPE_NONE:
        break;
    }
    return NAN;
}
