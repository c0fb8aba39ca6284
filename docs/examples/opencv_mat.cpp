// Filters a part of an OpenCV picture where it lies: hides a face. No picture is copied. Build and
// run:
//
//   c++ opencv_mat.cpp $(pkg-config --cflags --libs stencil opencv4) && ./a.out
#include <iostream>
#include <stdexcept>
#include <string>
#include <opencv2/core.hpp>
#include <stencil.h>

// A filter for pictures of 8 or 16 bits and up to 4 channels.
class Filter {
public:
    explicit Filter(const std::string &words)
    {
        check(stencil_open(&context_, nullptr));
        check(stencil_filter_add(context_, &filter_, words.c_str()));
    }
    ~Filter()
    {
        stencil_filter_free(filter_);
        stencil_close(context_);
    }
    Filter(const Filter &) = delete;
    Filter &operator=(const Filter &) = delete;

    void operator()(const cv::Mat &in, cv::Mat &out) // OUT may be IN
    {
        CV_Assert(in.depth() == CV_8U || in.depth() == CV_16U);
        out.create(in.size(), in.type());
        const stencil_image from = view(in), to = view(out);
        check(stencil_apply(context_, filter_, &from, &to));
    }

private:
    // A part of a Mat is a Mat whose rows are further apart than they are long.
    static stencil_image view(const cv::Mat &mat)
    {
        return {mat.cols, mat.rows, mat.channels(), static_cast<int32_t>(mat.elemSize1()),
                mat.step, 0, mat.data, STENCIL_HOST, nullptr};
    }
    void check(stencil_status status)
    {
        if (status != STENCIL_OK)
            throw std::runtime_error(stencil_message(context_));
    }

    stencil_context *context_ = nullptr;
    stencil_filter *filter_ = nullptr;
};

int main()
{
    cv::Mat picture(480, 640, CV_8UC3, cv::Scalar(0, 0, 0));
    picture(cv::Range(200, 280), cv::Range(280, 360)) = cv::Scalar(255, 128, 0);
    cv::Mat face = picture(cv::Range(180, 300), cv::Range(260, 380));
    Filter("box --radius 60")(face, face);
    std::cout << "hidden: " << picture.at<cv::Vec3b>(240, 320) << '\n';
}
