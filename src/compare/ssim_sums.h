/* Private to compare/ssim.c, which has the formula and includes this file twice, for samples of 8
 * and of 16 bits: the sums of one row of windows. COLUMN holds the sum of a column of the window,
 * PRODUCT the product of two sums of whole windows. */

/* The sums of columns: w x, w y, w (x^2 + y^2), w x y. */
static void NAME(columns)(const struct ssim_rows *rows, COLUMN *sx, COLUMN *sy, COLUMN *sxx,
                          COLUMN *sxy)
{
    const int *weight = ssim_weights(rows->rows);
    size_t bytes = (size_t)rows->width * sizeof *sx;

    memset(sx, 0, bytes);
    memset(sy, 0, bytes);
    memset(sxx, 0, bytes);
    memset(sxy, 0, bytes);
    for (int i = 0; i < rows->rows; i++) {
        const uint16_t *a = rows->a[i], *b = rows->b[i];
        COLUMN w = (COLUMN)weight[i];
        for (int x = 0; x < rows->width; x++) {
            COLUMN va = a[x], vb = b[x];
            sx[x] += w * va;
            sy[x] += w * vb;
            sxx[x] += w * (va * va + vb * vb);
            sxy[x] += w * (va * vb);
        }
    }
}

/* The windows' sums from COUNT columns on; the weights are the same from both ends. */
static void NAME(windows)(const COLUMN *column, int side, const int *weight, int count,
                          int64_t *sum)
{
    for (int x = 0; x < count; x++)
        sum[x] = (int64_t)((uint64_t)column[x + side / 2] * (uint32_t)weight[side / 2]);
    for (int j = 0; j < side / 2; j++) {
        const COLUMN *left = column + j, *right = column + side - 1 - j;
        uint32_t w = (uint32_t)weight[j];
        for (int x = 0; x < count; x++)
            sum[x] += (int64_t)((uint64_t)(COLUMN)(left[x] + right[x]) * w);
    }
}

static double NAME(row)(const struct ssim_rows *rows, void *scratch)
{
    int side = ssim_side(rows->width), windows = rows->width - side + 1;
    const int *weight = ssim_weights(side);
    int64_t whole = ssim_whole(side) * ssim_whole(rows->rows);
    double scale = (double)whole * (double)whole, max = rows->max;
    double c1 = 0.01 * 0.01 * max * max * scale, c2 = 0.03 * 0.03 * max * max * scale, sum = 0;
    COLUMN *sx = scratch, *sy = sx + rows->width, *sxx = sy + rows->width;
    COLUMN *sxy = sxx + rows->width;
    int64_t a[BLOCK], b[BLOCK], squares[BLOCK], ab[BLOCK];

    NAME(columns)(rows, sx, sy, sxx, sxy);
    for (int first = 0; first < windows; first += BLOCK) {
        int count = windows - first < BLOCK ? windows - first : BLOCK;
        NAME(windows)(sx + first, side, weight, count, a);
        NAME(windows)(sy + first, side, weight, count, b);
        NAME(windows)(sxx + first, side, weight, count, squares);
        NAME(windows)(sxy + first, side, weight, count, ab);
        for (int x = 0; x < count; x++) {
            PRODUCT means = (PRODUCT)a[x] * a[x] + (PRODUCT)b[x] * b[x];
            PRODUCT product = 2 * ((PRODUCT)a[x] * b[x]);
            PRODUCT variances = (PRODUCT)whole * squares[x] - means;
            PRODUCT covariance = 2 * ((PRODUCT)whole * ab[x]) - product;
            sum +=
                ssim((double)product, (double)covariance, (double)means, (double)variances, c1, c2);
        }
    }
    return sum;
}
