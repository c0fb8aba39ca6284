/* "Did you mean": finds the word of a list that is nearest to a mistyped one. The distance of two
 * words is the number of slips between them: a letter too many, one too few, a wrong one, or two
 * neighbours swapped (the optimal string alignment distance). Case does not count. */
#include "base/did_you_mean.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* All words of the command line are shorter. */
#define WORD_MAX 40

static int word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int cost[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= a_length; i++)
        cost[i][0] = (int)i;
    for (size_t j = 0; j <= b_length; j++)
        cost[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int extra = cost[i - 1][j] < cost[i][j - 1] ? cost[i - 1][j] : cost[i][j - 1];
            int changed = cost[i - 1][j - 1] + (ca != cb);
            cost[i][j] = changed <= extra ? changed : extra + 1;
            bool swapped = i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                           cb == tolower((unsigned char)a[i - 2]);
            if (swapped && cost[i - 2][j - 2] + 1 < cost[i][j])
                cost[i][j] = cost[i - 2][j - 2] + 1;
        }
    }
    return cost[a_length][b_length];
}

const char *did_you_mean(const char *text, const char *const *words, int count)
{
    size_t length = strlen(text);
    if (length == 0 || length > WORD_MAX)
        return NULL;
    /* A near word has at most about one slip per three letters; for a single letter, none. */
    int least = ((int)length + 1) / 3 + 1;
    const char *nearest = NULL;
    for (int i = 0; i < count; i++) {
        size_t word_length = strlen(words[i]);
        if (word_length > WORD_MAX)
            continue;
        int distance = word_distance(text, length, words[i], word_length);
        /* The beginning of a word ("conv") counts as one slip. */
        if (length >= 3 && strncasecmp(text, words[i], length) == 0 && distance > 1)
            distance = 1;
        if (distance < least) {
            least = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
