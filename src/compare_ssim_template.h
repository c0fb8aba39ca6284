/* Private to compare_ssim.c, which includes it once for samples of 8 and once for samples of
 * 16 bits: COLUMN holds the sum of a column of the window, SUM that of the whole window and
 * PRODUCT the product of two of those. */

/* Columns: sum w x, sum w y, sum w (x^2 + y^2), sum w x y. */
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

static double NAME(row)(const struct ssim_rows *rows, void *scratch)
{
    int side = ssim_side(rows->width), windows = rows->width - side + 1;
    const int *weight = ssim_weights(side);
    int64_t whole = ssim_whole(side) * ssim_whole(rows->rows);
    double scale = (double)whole * (double)whole, max = rows->max;
    double c1 = 0.01 * 0.01 * max * max * scale, c2 = 0.03 * 0.03 * max * max * scale, sum = 0;
    COLUMN *sx = scratch, *sy = sx + rows->width, *sxx = sy + rows->width;
    COLUMN *sxy = sxx + rows->width;

    NAME(columns)(rows, sx, sy, sxx, sxy);
    for (int x = 0; x < windows; x++) {
        SUM a = 0, b = 0, squares = 0, ab = 0;
        for (int j = 0; j < side; j++) {
            SUM w = (SUM)weight[j];
            a += w * (SUM)sx[x + j];
            b += w * (SUM)sy[x + j];
            squares += w * (SUM)sxx[x + j];
            ab += w * (SUM)sxy[x + j];
        }
        PRODUCT means = (PRODUCT)a * a + (PRODUCT)b * b, product = 2 * ((PRODUCT)a * b);
        PRODUCT variances = (PRODUCT)whole * squares - means;
        PRODUCT covariance = 2 * ((PRODUCT)whole * ab) - product;
        sum += (((double)product + c1) * ((double)covariance + c2)) /
               (((double)means + c1) * ((double)variances + c2));
    }
    return sum;
}
