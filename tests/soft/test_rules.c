/* The software GPU names the rule that a kernel breaks, and does nothing more: the call that waits
 * and all later calls fail with a sentence. A kernel that only lacks a barrier gives wrong numbers.
 * Every case has a process of its own, because a broken rule ends the GPU's work for good. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules.h"
#include "tests/test.h"

#define COUNT 200 /* three blocks and a part of one */

typedef cudaError_t launch_function(float *to, const float *from, int count, cudaStream_t stream);

static float numbers[COUNT], result[COUNT];

/* Runs the kernel; the first error, if there is one. */
static cudaError_t run(launch_function *launch)
{
    void *from = NULL, *to = NULL;
    cudaStream_t stream = NULL;
    cudaError_t error = cudaMalloc(&from, sizeof numbers), copied;

    for (int i = 0; i < COUNT; i++)
        numbers[i] = (float)i;
    error = error ? error : cudaMalloc(&to, sizeof numbers);
    error = error ? error : cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error)
        return error;
    error = cudaMemcpyAsync(from, numbers, sizeof numbers, cudaMemcpyHostToDevice, stream);
    error = error ? error : launch(to, from, COUNT, stream);
    copied = cudaMemcpyAsync(result, to, sizeof numbers, cudaMemcpyDeviceToHost, stream);
    error = error ? error : copied;
    copied = cudaStreamSynchronize(stream);
    return error ? error : copied;
}

static bool is_reversed(void)
{
    bool reversed = true;
    for (int i = 0; i < COUNT; i++) {
        int first = i / 64 * 64, end = first + 64 < COUNT ? first + 64 : COUNT;
        reversed = reversed && (int)result[i] == first + end - 1 - i;
    }
    return reversed;
}

/* Whether the kernel breaks a rule whose sentence holds WORDS. */
static bool breaks(launch_function *launch, const char *words)
{
    void *memory = NULL;
    cudaError_t error = run(launch);

    printf("# %s\n", cudaGetErrorString(error));
    return error == cudaErrorLaunchFailure && strstr(cudaGetErrorString(error), words) &&
           cudaMalloc(&memory, 16) == cudaErrorLaunchFailure;
}

/* Runs the case in a process of its own, in which it passes if the function returns true. */
static bool passes(bool (*function)(void))
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        bool good = function();
        fflush(stdout);
        _exit(!good);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static bool right(void)
{
    return run(rules_reverse) == cudaSuccess && is_reversed();
}
static bool lacks_barrier(void)
{
    return run(rules_no_barrier) == cudaSuccess && !is_reversed();
}
static bool past_shared(void)
{
    return breaks(rules_shared_end, "shared memory is written behind its end (block 0 0 of 4 1)");
}
static bool past_global(void)
{
    return breaks(rules_global_end, "memory outside of every allocation");
}
static bool endless(void)
{
    return breaks(rules_endless, "threads wait for each other");
}
static bool much_shared(void)
{
    return breaks(rules_much_shared, "more shared memory than it may have");
}
static bool no_wait(void)
{
    return breaks(rules_no_wait, "before what it sent has left");
}
static bool foreign_pointer(void)
{
    return cudaFree(numbers) == cudaErrorInvalidValue && breaks(rules_reverse, "pointer is freed");
}

static void kernels(void)
{
    CHECK(passes(right));
    CHECK(passes(lacks_barrier));
}

static void rules(void)
{
    CHECK(passes(past_shared));
    CHECK(passes(past_global));
    CHECK(passes(endless));
    CHECK(passes(much_shared));
    CHECK(passes(no_wait));
    CHECK(passes(foreign_pointer));
}

int main(void)
{
    TEST(kernels);
    TEST(rules);
    return test_finish();
}
