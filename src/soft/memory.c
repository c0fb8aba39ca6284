/* Devices, device memory and host memory, and errors on request: see fake_cuda.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_cuda.h"

#define PAGE ((size_t)4096)

/* A piece of memory. Device memory maps its pages twice: `address` cannot be accessed, `bytes_at`
 * can. Host memory is pinned. */
struct piece {
    char *address, *bytes_at;
    size_t bytes, gap; /* gap before it, so that it ends at the end of a page */
    int device;        /* -1: the host's */
    bool made;         /* allocated by cudaHostAlloc */
    struct piece *next;
};

static struct piece *pieces;
static int devices = 2;
static size_t memory_bytes = (size_t)1 << 30, used[FAKE_DEVICES];
static const char *fail_call;
static int fail_nth;
static cudaError_t fail_error;
static bool fail_done;
static struct fake_cuda_counts counts;
static _Thread_local cudaError_t last_error;
static _Thread_local int current;

/* ---- errors ---- */

cudaError_t fake_error(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

bool fake_refused(const char *call, cudaError_t *error)
{
    counts.calls++;
    if (fail_nth == 0 || (fail_call && strcmp(fail_call, call) != 0) || --fail_nth > 0)
        return false;
    fail_done = true;
    *error = fail_error;
    return true;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorNoDevice       ? "no CUDA-capable device is detected"
           : error == cudaErrorIllegalAddress ? "an illegal memory access was encountered"
                                              : "a made-up error";
}

void fake_cuda_fail(const char *call, int nth, cudaError_t error)
{
    fake_lock();
    fail_call = call;
    fail_nth = nth;
    fail_error = error;
    fail_done = false;
    fake_unlock();
}

bool fake_cuda_failed(void)
{
    bool done;
    fake_lock();
    done = fail_done;
    fake_unlock();
    return done;
}

/* ---- devices ---- */

int fake_current_device(void)
{
    return current;
}

void fake_cuda_devices(int count)
{
    fake_lock();
    devices = count;
    fake_unlock();
}

void fake_cuda_memory(size_t bytes)
{
    fake_lock();
    memory_bytes = bytes;
    fake_unlock();
}

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = cudaSuccess;
    fake_lock();
    if (!fake_refused("cudaGetDeviceCount", &error))
        *count = devices;
    if (error == cudaSuccess && devices == 0)
        error = cudaErrorNoDevice;
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = cudaSuccess;
    fake_lock();
    if (!fake_refused("cudaSetDevice", &error)) {
        if (device < 0 || device >= devices)
            error = cudaErrorInvalidDevice;
        else
            current = device;
    }
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaError_t error = cudaSuccess;
    fake_lock();
    if (!fake_refused("cudaDeviceGetAttribute", &error))
        *value = device >= devices                                      ? 0
                 : attribute == cudaDevAttrComputeCapabilityMajor       ? 9
                 : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
                                                                        : 1 << 20;
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    *properties = (struct cudaDeviceProp){
        .totalGlobalMem = memory_bytes, .major = 9, .multiProcessorCount = 4, .l2CacheSize = 1024};
    snprintf(properties->name, sizeof properties->name, "fake device %d", device);
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    cudaError_t error = cudaSuccess;
    fake_lock();
    counts.mem_infos++;
    if (!fake_refused("cudaMemGetInfo", &error)) {
        *available = memory_bytes > used[current] ? memory_bytes - used[current] : 0;
        *total = memory_bytes;
    }
    fake_unlock();
    return fake_error(error);
}

/* ---- memory ---- */

/* Finds the piece of host or device memory that holds the address. */
static struct piece **find(const void *address, bool host)
{
    const char *at = address;
    for (struct piece **p = &pieces; *p; p = &(*p)->next)
        if (((*p)->device < 0) == host && at >= (*p)->address && at < (*p)->address + (*p)->bytes)
            return p;
    return NULL;
}

bool fake_is_pinned(const void *host, size_t bytes)
{
    return find(host, true) && find((const char *)host + bytes - 1, true);
}

static struct piece *add(char *address, size_t bytes, int device)
{
    struct piece *piece = calloc(1, sizeof *piece);
    if (!piece)
        abort();
    *piece = (struct piece){.address = address, .bytes = bytes, .device = device, .next = pieces};
    pieces = piece;
    if (device < 0)
        counts.pinned++;
    else
        counts.allocations++;
    return piece;
}

static void take_out(struct piece **place)
{
    struct piece *piece = *place;
    *place = piece->next;
    if (piece->device < 0)
        counts.pinned--;
    else
        counts.allocations--;
    free(piece);
}

void *fake_device_memory(const void *memory, size_t bytes, int device)
{
    struct piece **found = find(memory, false);
    if (!found)
        fake_misuse("what is no device memory is used as such");
    if ((*found)->device != device)
        fake_misuse("memory of another device is used");
    if (bytes > (*found)->bytes - (size_t)((const char *)memory - (*found)->address))
        fake_misuse("device memory is used past its end");
    return (*found)->bytes_at + ((const char *)memory - (*found)->address);
}

static size_t pages_of(const struct piece *piece)
{
    return (piece->gap + piece->bytes + PAGE - 1) / PAGE * PAGE;
}

/* Maps new pages twice; the inaccessible view is followed by a page that is always inaccessible. */
static struct piece *add_pages(size_t bytes)
{
    size_t aligned = (bytes + 255) / 256 * 256, pages = (aligned + PAGE - 1) / PAGE * PAGE;
    int fd = memfd_create("device", MFD_CLOEXEC);
    struct piece *piece = add(NULL, bytes, current);
    char *view;

    piece->gap = pages - aligned;
    if (fd < 0 || ftruncate(fd, (off_t)pages) != 0)
        abort();
    view = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    piece->address = mmap(NULL, pages + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (view == MAP_FAILED || piece->address == MAP_FAILED ||
        mmap(piece->address, pages, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        abort();
    close(fd);
    piece->bytes_at = view + piece->gap;
    piece->address += piece->gap;
    return piece;
}

void fake_open_device(int device, bool open)
{
    for (struct piece *p = pieces; p; p = p->next)
        if (p->device == device && mprotect(p->address - p->gap, pages_of(p),
                                            open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
            abort();
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    cudaError_t error = cudaSuccess;
    struct piece *piece;

    fake_lock();
    counts.mallocs++;
    *memory = NULL;
    if (!fake_refused("cudaMalloc", &error) && used[current] + bytes > memory_bytes)
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess && bytes > 0) {
        piece = add_pages(bytes);
        memset(piece->bytes_at, 0xAB, bytes);
        used[current] += bytes;
        *memory = piece->address;
    }
    fake_unlock();
    return fake_error(error);
}

/* Waits for the device, as CUDA does. */
cudaError_t cudaFree(void *memory)
{
    struct piece **place;

    if (!memory)
        return cudaSuccess;
    fake_lock();
    place = find(memory, false);
    if (!place || (*place)->address != memory)
        fake_misuse("memory is freed that is none");
    fake_drain_device((*place)->device);
    used[(*place)->device] -= (*place)->bytes;
    munmap((*place)->bytes_at - (*place)->gap, pages_of(*place));
    munmap((*place)->address - (*place)->gap, pages_of(*place) + PAGE);
    take_out(place);
    fake_unlock();
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    (void)flags;
    *memory = NULL;
    fake_lock();
    counts.pins++;
    if (!fake_refused("cudaHostAlloc", &error)) {
        if (posix_memalign(memory, 4096, bytes) != 0)
            abort();
        memset(*memory, 0xAB, bytes < 1 << 20 ? bytes : 1 << 20); /* of large ones only a part */
        add(*memory, bytes, -1)->made = true;
    }
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaFreeHost(void *memory)
{
    struct piece **place;

    fake_lock();
    place = find(memory, true);
    if (!place || (*place)->address != memory || !(*place)->made)
        fake_misuse("host memory is freed that is none");
    fake_check_unused(memory, (*place)->bytes);
    take_out(place);
    fake_unlock();
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    (void)flags;
    fake_lock();
    counts.pins++;
    if (find(memory, true))
        error = cudaErrorHostMemoryAlreadyRegistered;
    else if (!fake_refused("cudaHostRegister", &error))
        add(memory, bytes, -1);
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaHostUnregister(void *memory)
{
    struct piece **place;

    fake_lock();
    place = find(memory, true);
    if (!place || (*place)->made)
        fake_misuse("memory is unpinned that is not pinned");
    fake_check_unused(memory, (*place)->bytes);
    take_out(place);
    fake_unlock();
    return cudaSuccess;
}

void fake_count_copy(void)
{
    counts.copies++;
}

struct fake_cuda_counts fake_cuda_count(void)
{
    extern void fake_stream_counts(struct fake_cuda_counts * to);
    struct fake_cuda_counts now;

    fake_lock();
    fake_stream_counts(&counts);
    now = counts;
    fake_unlock();
    return now;
}
