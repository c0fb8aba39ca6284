/* Fibers: see threads.h. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "soft/threads.h"

/* NULL: no memory. */
static void *make_stack(void)
{
    const size_t bytes = SOFT_STACK_BYTES + 4096;
    char *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    if (mprotect(stack, 4096, PROT_NONE) != 0) {
        munmap(stack, bytes);
        return NULL;
    }
    return stack + 4096;
}

#ifdef __x86_64__
/* Pushes the registers that a call must preserve, and exchanges the stacks. */
void soft_fiber_switch(void **from, void *to);
__asm__(".text\n"
        ".globl soft_fiber_switch\n"
        ".hidden soft_fiber_switch\n"
        ".type soft_fiber_switch, @function\n"
        "soft_fiber_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\n"
        "movq %rsi, %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\n"
        "ret\n"
        ".size soft_fiber_switch, .-soft_fiber_switch\n");

static void *outside;

bool soft_fiber_make(struct soft_fiber *fiber, void (*run)(void))
{
    uintptr_t *top;

    if (!fiber->stack && !(fiber->stack = make_stack()))
        return false;
    top = (uintptr_t *)((char *)fiber->stack + SOFT_STACK_BYTES);
    *--top = 0; /* aligns the stack as after a call */
    *--top = (uintptr_t)run;
    for (int i = 0; i < 6; i++)
        *--top = 0;
    fiber->context = top;
    return true;
}

void soft_fiber_enter(struct soft_fiber *fiber)
{
    soft_fiber_switch(&outside, fiber->context);
}

void soft_fiber_leave(struct soft_fiber *fiber)
{
    soft_fiber_switch(&fiber->context, outside);
}

#else
#include <ucontext.h>

static ucontext_t outside;

bool soft_fiber_make(struct soft_fiber *fiber, void (*run)(void))
{
    ucontext_t *context = fiber->context;

    if (!fiber->stack && !(fiber->stack = make_stack()))
        return false;
    if (!context)
        fiber->context = context = calloc(1, sizeof *context);
    if (!context || getcontext(context) != 0)
        return false;
    context->uc_stack.ss_sp = fiber->stack;
    context->uc_stack.ss_size = SOFT_STACK_BYTES;
    context->uc_link = NULL;
    makecontext(context, run, 0);
    return true;
}

void soft_fiber_enter(struct soft_fiber *fiber)
{
    swapcontext(&outside, fiber->context);
}

void soft_fiber_leave(struct soft_fiber *fiber)
{
    swapcontext(fiber->context, &outside);
}
#endif
