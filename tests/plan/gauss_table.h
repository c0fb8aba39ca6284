/* Written by make_gauss_table.py: the weights of the contract for a Gaussian, from
 * decimals of 60 digits. Checksums are FNV-1a, one step for each weight. */
#include <stdint.h>

static const struct {
    double sigma;
    int radius;
    uint64_t checksum;
} gauss_checksums[] = {
    {0.5, 2, 0x1fc98a3a362edc85},       {1.0, 3, 0x4bb0a20963157581},
    {1.5, 5, 0x977119671a5235a7},       {2.0, 6, 0x320d920044a11e87},
    {2.5, 8, 0x4c4f6cf232ea8aa7},       {3.0, 9, 0xf35e50cccb42a21f},
    {3.5, 11, 0xd870018a75fe33bd},      {4.0, 12, 0x2532212dfa96913b},
    {4.5, 14, 0x027d51c045bda6d9},      {5.0, 15, 0x14c1d5d52e4416fb},
    {5.5, 17, 0xc291e38b43f4a623},      {6.0, 18, 0x608e982db205da3f},
    {6.5, 20, 0x5f5f77df04efe829},      {7.0, 21, 0x2c78a01d837a6b63},
    {7.5, 23, 0xff83360a3ae07eb9},      {8.0, 24, 0xc484efb00581d1f5},
    {8.5, 26, 0x733ca589de36194f},      {9.0, 27, 0xb2d1502a1c310165},
    {9.5, 29, 0x84ab035c2e3b13b5},      {10.0, 30, 0x9410636fa95bc481},
    {10.5, 32, 0xad6e9f8e9a63acf9},     {11.0, 33, 0x6997b3db92e66195},
    {11.5, 35, 0x011493d3102b7bff},     {12.0, 36, 0x780e1cc9123b24c3},
    {12.5, 38, 0x9b62eaddae0a9249},     {13.0, 39, 0xf7d8796d79319a39},
    {13.5, 41, 0x659180e875987a9b},     {14.0, 42, 0x41da3f4b91679701},
    {14.5, 44, 0xd129d061e93046df},     {15.0, 45, 0xfa1a0a9a9ca6ef51},
    {15.5, 47, 0xf997f8405389d86b},     {16.0, 48, 0x4b7babb35d9144bb},
    {16.5, 50, 0x364b78b56d6644b9},     {17.0, 51, 0x523057cd9d57415f},
    {17.5, 53, 0xfbb5dcea06105a29},     {18.0, 54, 0x21cf4c8b991b4d49},
    {18.5, 56, 0x72818264bb024a13},     {19.0, 57, 0x9cb79344e927d5ab},
    {19.5, 59, 0xf4e356755bfa62ed},     {20.0, 60, 0xfd4ec4e8fce96b77},
    {0.2, 1, 0xf47d1218832877b7},       {0.3, 1, 0x149d52188ad3ea37},
    {0.85, 3, 0xa8db058cfaecf821},      {1.4, 5, 0x20148baadb1e3daf},
    {42.25, 127, 0x999a0c3764acf403},   {1.0, 1, 0xfb3abc0e4f93b1f5},
    {1.0, 127, 0x8b5d0d01d17a5885},     {5.0, 4, 0xc5b28b8a76c547e1},
    {100.0, 127, 0xacb672aa8428edb5},   {43.0, 129, 0xda23a06fbd142ee9},
    {100.0, 300, 0xae5686dd433a5e69},   {333.3, 1000, 0x5bfa5fc76ccf7fed},
    {1000.0, 3000, 0x7f791e0ccc336431}, {20.0, 500, 0xc9ae7ffda5d31f43},
};

static const struct {
    double sigma;
    int radius;
    int weight[17];
} gauss_rows[] = {
    {0.5, 2, {1, 218, 1610, 218, 1}},
    {1.0, 3, {9, 110, 496, 818, 496, 110, 9}},
    {1.5, 5, {2, 16, 74, 224, 436, 544, 436, 224, 74, 16, 2}},
    {2.0, 6, {5, 18, 55, 133, 248, 361, 408, 361, 248, 133, 55, 18, 5}},
    {2.5, 8, {2, 7, 18, 44, 91, 159, 237, 302, 328, 302, 237, 159, 91, 44, 18, 7, 2}},
};
