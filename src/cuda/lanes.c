/* Lanes: see cuda/lanes.h. A ticket for each who asks; the lowest is served when there is
 * what it wants, and those behind it wait, so that neither many small jobs keep a large one
 * out nor the other way round. A lane is held for some tenths of a millisecond. */
#include "cuda/lanes.h"

#include <pthread.h>
#include <stdint.h>

struct door {
    uint64_t next_ticket, turn;
    bool taken[CUDA_LANES], alone;
    int lanes; /* that are taken */
};

static struct door doors[CUDA_MAX_DEVICES];
/* One pair for all devices: nothing is done with the lock held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static bool is_there(const struct door *door, enum cuda_use use)
{
    return use == CUDA_ALONE ? door->lanes == 0 : !door->alone && door->lanes < CUDA_LANES;
}

int cuda_lanes_take(int index, enum cuda_use use)
{
    struct door *door = &doors[index];
    uint64_t ticket;
    int lane = 0;

    pthread_mutex_lock(&lock);
    ticket = door->next_ticket++;
    while (ticket != door->turn || !is_there(door, use))
        pthread_cond_wait(&changed, &lock);
    door->turn++;
    while (door->taken[lane])
        lane++;
    door->taken[lane] = true;
    door->lanes++;
    door->alone = use == CUDA_ALONE;
    if (door->turn < door->next_ticket) /* there may be a lane for the next one too */
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return lane;
}

void cuda_lanes_give(int index, int lane)
{
    struct door *door = &doors[index];

    pthread_mutex_lock(&lock);
    door->taken[lane] = false;
    door->lanes--;
    door->alone = false;
    if (door->turn < door->next_ticket)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
