/* OpenCV for comparison with this program's CPU kernels, for tests/cpu/time_2d.c;
 * scripts/bench_kernels builds this file. */
#include <cstring>
#include <opencv2/imgproc.hpp>

extern "C" {

/* The layout of src/base/image.h. */
struct image {
    int width, height, channels;
    size_t pitch;
    int type;
    void *data;
};

int peer_run(const char *what, const image *in, image *out, const float *weight, int mask_width,
             int mask_height, double sigma)
{
    const int border = cv::BORDER_REPLICATE;
    int type = CV_MAKETYPE(in->type == 1 ? CV_8U : CV_16U, in->channels);
    cv::Mat from(in->height, in->width, type, in->data, in->pitch);
    cv::Mat to(out->height, out->width, type, out->data, out->pitch);
    cv::setNumThreads(1);
    if (!std::strcmp(what, "gauss")) {
        cv::GaussianBlur(from, to, cv::Size(mask_width, mask_height), sigma, sigma, border);
    } else if (!std::strcmp(what, "filter2d")) {
        cv::Mat mask(mask_height, mask_width, CV_32F, const_cast<float *>(weight));
        cv::filter2D(from, to, -1, mask, cv::Point(-1, -1), 0, border);
    } else if (!std::strcmp(what, "box")) {
        cv::blur(from, to, cv::Size(mask_width, mask_height), cv::Point(-1, -1), border);
    } else if (!std::strcmp(what, "sobel")) {
        cv::Mat gx, gy, size;
        cv::Sobel(from, gx, CV_32F, 1, 0, 3, 1, 0, border);
        cv::Sobel(from, gy, CV_32F, 0, 1, 3, 1, 0, border);
        cv::magnitude(gx, gy, size);
        size.convertTo(to, type);
    } else {
        return 1;
    }
    return 0;
}
}
