/* Letters of 5 x 7 pixels, for legends inside of pictures: digits, a few signs and the small
 * letters that those legends need; anything else is a blank. */
#ifndef STENCIL_COMPARE_PIXEL_FONT_H
#define STENCIL_COMPARE_PIXEL_FONT_H

#include <stdbool.h>

#define PIXEL_FONT_WIDTH  6 /* with the blank column on the right */
#define PIXEL_FONT_HEIGHT 7

/* Is there ink in column X (0..5) and row Y (0..6) of C? */
bool pixel_font_ink(char c, int x, int y);

#endif
