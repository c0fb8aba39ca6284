/* Devices, device memory and host memory, and errors: see soft/runtime.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft/parts.h"

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

struct soft_settings soft_settings = {
    .devices = 1, .memory_bytes = (size_t)1 << 30, .capability = {90, 90, 90, 90}};

static struct piece *pieces;
static size_t used[SOFT_DEVICES];
static char broken[320]; /* the sentence about the rule that was broken; "": none was */
static _Thread_local cudaError_t last_error;
static _Thread_local int current;

/* ---- errors ---- */

cudaError_t soft_error(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

bool soft_refused(const char *call, cudaError_t *error)
{
    if (soft_is_broken()) {
        *error = cudaErrorLaunchFailure;
        return true;
    }
    return soft_settings.refuses && soft_settings.refuses(call, error);
}

void soft_break(const char *sentence)
{
    if (soft_is_broken())
        return;
    snprintf(broken, sizeof broken, "%s", sentence);
    if (soft_settings.broken)
        soft_settings.broken(sentence);
}

bool soft_is_broken(void)
{
    return broken[0] != '\0';
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
           : error == cudaErrorLaunchFailure  ? broken
                                              : "the software GPU refuses the call";
}

/* ---- devices ---- */

int soft_current_device(void)
{
    return current;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = cudaSuccess;
    soft_lock();
    if (!soft_refused("cudaGetDeviceCount", &error))
        *count = soft_settings.devices;
    if (error == cudaSuccess && soft_settings.devices == 0)
        error = cudaErrorNoDevice;
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = cudaSuccess;
    soft_lock();
    if (!soft_refused("cudaSetDevice", &error)) {
        if (device < 0 || device >= soft_settings.devices)
            error = cudaErrorInvalidDevice;
        else
            current = device;
    }
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaError_t error = cudaSuccess;
    soft_lock();
    if (!soft_refused("cudaDeviceGetAttribute", &error))
        *value =
            device >= soft_settings.devices                  ? 0
            : attribute == cudaDevAttrComputeCapabilityMajor ? soft_settings.capability[device] / 10
            : attribute == cudaDevAttrComputeCapabilityMinor ? soft_settings.capability[device] % 10
            : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
                                                                   : 1 << 20;
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    *properties = (struct cudaDeviceProp){
        .totalGlobalMem = soft_settings.memory_bytes, .major = 9, .multiProcessorCount = 4};
    (void)device;
    snprintf(properties->name, sizeof properties->name, "software GPU");
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
    soft_lock();
    if (!soft_refused("cudaMemGetInfo", &error)) {
        *total = soft_settings.memory_bytes;
        *available = *total > used[current] ? *total - used[current] : 0;
    }
    soft_unlock();
    return soft_error(error);
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

bool soft_is_pinned(const void *host, size_t bytes)
{
    return find(host, true) && find((const char *)host + bytes - 1, true);
}

/* NULL: no memory. */
static struct piece *add(char *address, size_t bytes, int device)
{
    struct piece *piece = calloc(1, sizeof *piece);
    if (!piece)
        return NULL;
    *piece = (struct piece){.address = address, .bytes = bytes, .device = device, .next = pieces};
    pieces = piece;
    return piece;
}

static void take_out(struct piece **place)
{
    struct piece *piece = *place;
    *place = piece->next;
    free(piece);
}

struct soft_counts soft_count(void)
{
    struct soft_counts counts = {0};
    for (const struct piece *p = pieces; p; p = p->next)
        *(p->device < 0 ? &counts.pinned : &counts.allocations) += 1;
    soft_count_streams(&counts);
    return counts;
}

void *soft_device_memory(const void *memory, size_t bytes, int device)
{
    struct piece **found = find(memory, false);
    size_t offset = found ? (size_t)((const char *)memory - (*found)->address) : 0;

    if (!found)
        soft_break("a pointer that is not to device memory is used as one");
    else if ((*found)->device != device)
        soft_break("memory of another device is used");
    else if (bytes > (*found)->bytes - offset)
        soft_break("device memory is used past its end");
    else
        return (*found)->bytes_at + offset;
    return NULL;
}

static size_t pages_of(const struct piece *piece)
{
    return (piece->gap + piece->bytes + PAGE - 1) / PAGE * PAGE;
}

/* Maps new pages twice; the inaccessible view is followed by a page that is always inaccessible.
 * NULL: no memory. */
static struct piece *add_pages(size_t bytes)
{
    size_t aligned = (bytes + 255) / 256 * 256, pages = (aligned + PAGE - 1) / PAGE * PAGE;
    int fd = memfd_create("device", MFD_CLOEXEC);
    bool sized = fd >= 0 && ftruncate(fd, (off_t)pages) == 0;
    char *view = sized ? mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    char *closed = mmap(NULL, pages + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct piece *piece = NULL;

    if (view != MAP_FAILED && closed != MAP_FAILED &&
        mmap(closed, pages, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
        piece = add(closed + pages - aligned, bytes, current);
    if (fd >= 0)
        close(fd);
    if (piece) {
        piece->gap = pages - aligned;
        piece->bytes_at = view + piece->gap;
        return piece;
    }
    if (view != MAP_FAILED)
        munmap(view, pages);
    if (closed != MAP_FAILED)
        munmap(closed, pages + PAGE);
    return NULL;
}

void soft_open_device(int device, bool open)
{
    for (struct piece *p = pieces; p; p = p->next)
        if (p->device == device && mprotect(p->address - p->gap, pages_of(p),
                                            open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
            soft_break("the machine cannot protect the device's memory");
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    cudaError_t error = cudaSuccess;
    struct piece *piece = NULL;

    soft_lock();
    *memory = NULL;
    if (!soft_refused("cudaMalloc", &error) && bytes > 0 &&
        (used[current] + bytes > soft_settings.memory_bytes || !(piece = add_pages(bytes))))
        error = cudaErrorMemoryAllocation;
    if (piece) {
        memset(piece->bytes_at, 0xAB, bytes);
        used[current] += bytes;
        *memory = piece->address;
    }
    soft_unlock();
    return soft_error(error);
}

/* Waits for the device, as CUDA does. */
cudaError_t cudaFree(void *memory)
{
    struct piece **place;
    bool known;

    if (!memory)
        return cudaSuccess;
    soft_lock();
    place = find(memory, false);
    known = place && (*place)->address == memory;
    if (known) {
        soft_drain_device((*place)->device);
        used[(*place)->device] -= (*place)->bytes;
        munmap((*place)->bytes_at - (*place)->gap, pages_of(*place));
        munmap((*place)->address - (*place)->gap, pages_of(*place) + PAGE);
        take_out(place);
    } else {
        soft_break("a pointer is freed that is not to device memory");
    }
    soft_unlock();
    return known ? cudaSuccess : soft_error(cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    struct piece **found;

    soft_lock();
    found = find(memory, false);
    *attributes = (struct cudaPointerAttributes){.type = found ? cudaMemoryTypeDevice
                                                               : cudaMemoryTypeUnregistered,
                                                 .device = found ? (*found)->device : -1};
    soft_unlock();
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaSuccess;
    struct piece *piece;

    (void)flags;
    *memory = NULL;
    soft_lock();
    if (!soft_refused("cudaHostAlloc", &error)) {
        if (posix_memalign(memory, 4096, bytes) != 0)
            *memory = NULL;
        piece = *memory ? add(*memory, bytes, -1) : NULL;
        if (piece) {
            memset(*memory, 0xAB, bytes < 1 << 20 ? bytes : 1 << 20); /* of large ones a part */
            piece->made = true;
        } else {
            free(*memory);
            *memory = NULL;
            error = cudaErrorMemoryAllocation;
        }
    }
    soft_unlock();
    return soft_error(error);
}

/* Unpins memory, and frees it if the runtime MADE it. */
static cudaError_t host_forget(void *memory, bool made)
{
    struct piece **place;
    bool known;

    soft_lock();
    place = find(memory, true);
    known = place && (*place)->address == memory && (*place)->made == made;
    if (!known)
        soft_break("host memory is freed or unpinned that is not pinned");
    else if (soft_check_unused(memory, (*place)->bytes))
        take_out(place);
    soft_unlock();
    if (known && made)
        free(memory);
    return known ? cudaSuccess : soft_error(cudaErrorInvalidValue);
}

cudaError_t cudaFreeHost(void *memory)
{
    return host_forget(memory, true);
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    (void)flags;
    soft_lock();
    if (!soft_refused("cudaHostRegister", &error))
        error = find(memory, true)        ? cudaErrorHostMemoryAlreadyRegistered
                : !add(memory, bytes, -1) ? cudaErrorMemoryAllocation
                                          : cudaSuccess;
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaHostUnregister(void *memory)
{
    return host_forget(memory, false);
}
