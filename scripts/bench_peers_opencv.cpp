// OpenCV for comparison, for scripts/bench_peers, which compiles this file.
//
//     peer run IN OUT MASK          reads, filters (filter2D), writes
//     peer time IN MASK gauss|2d    prints milliseconds of the filter alone, one thread
//
// MASK is in vips' form: width, height, divisor, offset, then the weights.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/core/utility.hpp>
#include <algorithm>
#include <vector>

static cv::Mat read_mask(const char *path)
{
    std::ifstream file(path);
    int width = 0, height = 0;
    float divisor = 1, offset = 0;
    file >> width >> height >> divisor >> offset;
    cv::Mat mask(height, width, CV_32F);
    for (int i = 0; i < width * height; i++)
        file >> mask.at<float>(i / width, i % width);
    return mask / divisor;
}

static void time_it(const cv::Mat &in, const cv::Mat &mask, bool gauss)
{
    cv::setNumThreads(1);
    cv::Mat out;
    std::vector<double> times;
    for (int i = 0; i < 21; i++) {
        auto start = std::chrono::steady_clock::now();
        if (gauss)
            cv::GaussianBlur(in, out, mask.size(), 0, 0, cv::BORDER_REPLICATE);
        else
            cv::filter2D(in, out, -1, mask, cv::Point(-1, -1), 0, cv::BORDER_REPLICATE);
        auto end = std::chrono::steady_clock::now();
        if (i) // the first run allocates the picture
            times.push_back(std::chrono::duration<double, std::milli>(end - start).count());
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    std::printf("%.4f\n", times[times.size() / 2]);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    cv::Mat in = cv::imread(argv[2], cv::IMREAD_UNCHANGED), out;
    if (in.empty())
        return 1;
    if (!std::strcmp(argv[1], "time")) {
        time_it(in, read_mask(argv[3]), !std::strcmp(argv[4], "gauss"));
        return 0;
    }
    cv::filter2D(in, out, -1, read_mask(argv[4]), cv::Point(-1, -1), 0, cv::BORDER_REPLICATE);
    return !cv::imwrite(argv[3], out, {cv::IMWRITE_JPEG_QUALITY, 90});
}
