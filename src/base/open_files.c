/* Open files and workers: see base/open_files.h. */
#include "base/open_files.h"

#include <sys/resource.h>

#define FILES_ELSE 24

int open_files_for(int workers, int each)
{
    rlim_t wanted = (rlim_t)workers * (rlim_t)each + FILES_ELSE;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return workers;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 && getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return workers;
    if (limit.rlim_cur >= wanted)
        return workers;
    return limit.rlim_cur < FILES_ELSE + (rlim_t)each
               ? 1
               : (int)((limit.rlim_cur - FILES_ELSE) / (rlim_t)each);
}
