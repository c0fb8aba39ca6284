/* The checker's masks: see tests/kernel/checker_masks.h. A box mask hides errors, since mixed-up
 * cells give the same sum. So the masks here are lopsided: negative, even, rectangular, with odd
 * anchors, rational, and with numbers of every size that takes a separate path (int16, 32 bits, 64
 * bits, products beyond 62 bits). */
#include "tests/kernel/checker_masks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random.h"

struct mask_case {
    const char *name;
    const char *text;    /* rows for mask_parse; NULL: random; LOW_RANK: see mask_fill */
    const char *second;  /* the second mask of a gradient */
    int width, height;   /* random masks */
    int64_t low, high;   /* range of their weights */
    const char *divisor; /* and divisor */
};

/* The sum of two random columns times rows, one of them smaller and inside; ONE_CELL: as LOW_RANK,
 * with one cell changed. */
static const char LOW_RANK[] = "low rank", ONE_CELL[] = "one cell";
/* A random column times a row, plus a small random number in every cell. */
static const char NEAR[] = "near";
/* A random column times a row; UPPER: as FACTORS, with the middle entries raised so that each sums
 * to 2048; UPPER_16: to 65536. */
static const char FACTORS[] = "factors", UPPER[] = "upper", UPPER_16[] = "upper 16";
/* As NEAR, but near LOW_RANK, and near ONE_CELL. */
static const char NEAR_RANK_2[] = "near rank 2", NEAR_RANK_3[] = "near rank 3";
/* Weights mostly equal to their neighbours; DISC: as RUNS, but all of one size or 0. */
static const char RUNS[] = "runs", DISC[] = "disc";
/* A Gaussian in 18 decimals. */
static const char BELL[] = "bell";
/* PEAK: random, the middle ones 20 times as large. WHOLE: random, divided by their sum, with the
 * anchor in the middle. */
static const char PEAK[] = "peak", WHOLE[] = "whole";

/* A random column times a row, with a random centre, as an outer mask. */
static const char OUTER[] = "outer";
/* The mask of a bilateral filter, whose --range stands in place of the divisor. */
static const char GAUSS[] = "gauss";

#define MOST_SIDE 301 /* of these masks */

static const struct mask_case MASKS[] = {
    {"identity", "1", NULL, 0, 0, 0, 0, NULL},
    {"lopsided3", "divisor 7\n1 -2 3\n4 5 -6\n0 8 9", NULL, 0, 0, 0, 0, NULL},
    {"gauss5", "divisor 256\n1 4 6 4 1\n4 16 24 16 4\n6 24 36 24 6\n4 16 24 16 4\n1 4 6 4 1", NULL,
     0, 0, 0, 0, NULL},
    {"even2", "offset 3\n1/2 1/4\n1/8 -1/3", NULL, 0, 0, 0, 0, NULL},
    {"anchored4x3", "anchor 3 0\nnormalize\n1 2 3 4\n0 -1 5 7\n2 0 0 9", NULL, 0, 0, 0, 0, NULL},
    {"row7", "normalize\n1 2 4 8 16 32 64", NULL, 0, 0, 0, 0, NULL},
    {"column6", "normalize\n1\n0\n3\n0\n5\n7", NULL, 0, 0, 0, 0, NULL},
    {"emboss50", "offset 50%\n-2 -1 0\n-1 1 1\n0 1 2", NULL, 0, 0, 0, 0, NULL},
    {"negative_divisor", "divisor -5\noffset -20\n1 2 -3\n-4 5 6\n7 -8 -9", NULL, 0, 0, 0, 0, NULL},
    {"all_zero", "offset 9.5\n0 0 0\n0 0 0", NULL, 0, 0, 0, 0, NULL},
    {"weights_past_int16", "divisor 400000\n40000 70001 -33000\n100003 -5 65536\n1 2 3", NULL, 0, 0,
     0, 0, NULL},
    {"savetxt",
     "3.765087519824857e-02 1.111111111111111e-01 2.718281828459045e-02\n"
     "0.1234567890123456789 0.3141592653589793 0.0577215664901532\n"
     "0.0101010101010101010 0.25 0.0333333333333333333",
     NULL, 0, 0, 0, 0, NULL},
    /* A 5x5 Gaussian printed by numpy.savetxt, and one of 8 lopsided rows. */
    {"savetxt_gauss5",
     "2.969016743950497229e-03 1.330620989101365462e-02 2.193823127971464629e-02 "
     "1.330620989101365462e-02 2.969016743950497229e-03\n"
     "1.330620989101365462e-02 5.963429543618014445e-02 9.832033134884578252e-02 "
     "5.963429543618014445e-02 1.330620989101365462e-02\n"
     "2.193823127971464629e-02 9.832033134884578252e-02 1.621028216371266650e-01 "
     "9.832033134884578252e-02 2.193823127971464629e-02\n"
     "1.330620989101365462e-02 5.963429543618014445e-02 9.832033134884578252e-02 "
     "5.963429543618014445e-02 1.330620989101365462e-02\n"
     "2.969016743950497229e-03 1.330620989101365462e-02 2.193823127971464629e-02 "
     "1.330620989101365462e-02 2.969016743950497229e-03",
     NULL, 0, 0, 0, 0, NULL},
    {"savetxt_rows8",
     "5.786271186121273724e-02 7.272337365759116989e-02 7.939919569571207703e-02 "
     "9.780628547213128521e-02\n"
     "7.248732184249133403e-02 9.529062458317712203e-02 -1.637434646454815831e-02 "
     "3.820283179726316480e-02\n"
     "9.791958962478920780e-02 6.112181914211552158e-02 9.261256146882783369e-02 "
     "-5.849254418356954893e-03\n"
     "3.863363097277046354e-02 1.082160407747878930e-02 4.797010740449129951e-02 "
     "5.174264849101259389e-02\n"
     "-1.836072630138722503e-02 7.091225057981018903e-03 1.493529575138878920e-02 "
     "9.454317147606898508e-02\n"
     "7.571568145364271363e-02 -4.947345524522125948e-05 7.964337392890055711e-02 "
     "-2.654072700137104918e-03\n"
     "5.718156505826457736e-02 -4.162595931216286210e-03 -1.977814222468316993e-02 "
     "8.892559309053525707e-02\n"
     "6.182047811889735539e-03 6.935146153091532178e-03 1.028026386032406536e-01 "
     "8.905097067960023038e-02",
     NULL, 0, 0, 0, 0, NULL},
    {"quantised", "1/1000000007 1/998244353 1/3\n1/7 0.1234567 1/9999999967\n1/11 1/13 1/17", NULL,
     0, 0, 0, 0, NULL},
    {"products_past_62_bits",
     "divisor 9895604649993\n1099511627777 1099511627776 1099511627775\n"
     "1099511627771 1099511627779 1099511627773",
     NULL, 0, 0, 0, 0, NULL},
    {"box3x4", "normalize\n1 1 1\n1 1 1\n1 1 1\n1 1 1", NULL, 0, 0, 0, 0, NULL},
    {"rank1_signed_16_bits", "divisor 5\noffset 20\n3 -6 9 3\n-1 2 -3 -1\n2 -4 6 2", NULL, 0, 0, 0,
     0, NULL},
    {"rank1_16_bits_to_the_edge", "divisor 257\n1 254 1", NULL, 0, 0, 0, 0, NULL},
    /* Pairs of bytes whose sum saturates, sums up to 65535, no division, a power of two. */
    {"bytes_that_saturate", "divisor 129\n127 2", NULL, 0, 0, 0, 0, NULL},
    {"bytes_saturate_twice", "divisor 2\n100 0 100\n0 57 0", NULL, 0, 0, 0, 0, NULL},
    {"bytes_undivided", "offset -9000\n100 0 57\n-1 0 0", NULL, 0, 0, 0, 0, NULL},
    {"bytes_unsigned_undivided", "100 57", NULL, 0, 0, 0, 0, NULL},
    {"rank1_bytes4x5", "divisor 64\n1 2 3 -4\n-1 -2 -3 4\n3 6 9 -12\n2 4 6 -8\n1 2 3 -4", NULL, 0,
     0, 0, 0, NULL},
    /* Pairs of bytes in a column: sums of 16 bits, of 32, unsigned and signed, up to the limit. */
    {"two_rows5", NULL, NULL, 5, 5, 0, 9, "113"},
    {"two_rows_signed5x6", NULL, NULL, 5, 6, -4, 6, "31"},
    {"two_rows_wide11x9", NULL, NULL, 11, 9, 56, 64, "5940"},
    {"two_rows_wide_signed7", NULL, NULL, 7, 7, -64, 64, "50"},
    /* A square with its anchor in the middle: its loops are unrolled on GPUs. */
    {"centred_signed7",
     "divisor 401\n"
     "19 -28 34 -15 41 28 60\n"
     "47 34 23 58 7 -57 47\n"
     "-1 39 60 -29 23 -54 55\n"
     "-40 -46 -13 0 51 -29 -12\n"
     "9 -47 13 -29 -59 33 -33\n"
     "-8 -25 -37 57 51 38 -11\n"
     "-40 37 42 -51 -43 19 19",
     NULL, 0, 0, 0, 0, NULL},
    /* Any int8, including columns of four in which two products do not fit 16 bits. */
    {"quads7x6", NULL, NULL, 7, 6, -128, 127, "997"},
    {"quads5x8", NULL, NULL, 5, 8, 120, 127, "4940"},
    {"quads9x3", NULL, NULL, 9, 3, -128, -60, "256"},
    {"box21", NULL, NULL, 21, 21, 3, 3, "1323"},
    {"box13x5_past_32_bits", NULL, NULL, 13, 5, 4000000019, 4000000019, "260000001235"},
    {"box30x2", NULL, NULL, 30, 2, 700, 700, "42001"},
    {"box3x50", NULL, NULL, 3, 50, -800, -800, "1001"},
    {"rank1_past_16_bits", "divisor 258\n1 256 1", NULL, 0, 0, 0, 0, NULL},
    {"rank1_32_bits",
     "divisor 4000000\n0 999 -2000 0 5 77\n0 1998 -4000 0 10 154\n0 -999 2000 0 -5 -77\n"
     "0 0 0 0 0 0\n0 999000 -2000000 0 5000 77000",
     NULL, 0, 0, 0, 0, NULL},
    {"symmetric7x6",
     "divisor 1048576\n1 21 301 4001 301 21 1\n3 63 903 12003 903 63 3\n9 189 2709 36009 2709 189 "
     "9\n"
     "9 189 2709 36009 2709 189 9\n3 63 903 12003 903 63 3\n1 21 301 4001 301 21 1",
     NULL, 0, 0, 0, 0, NULL},
    /* Rank 1 on 16-bit samples: byte factors with sums of three and of four bytes, whole sums
     * beyond 32 bits, factors of unsigned bytes and of two bytes; each up to its limit. */
    {"deep_short", "divisor 18689\n12700 200 12700\n-3429 -54 -3429", NULL, 0, 0, 0, 0, NULL},
    {"deep_signed", "divisor 997\n-2540 2560 -2540\n7620 -7680 7620", NULL, 0, 0, 0, 0, NULL},
    {"deep_signed_wide",
     "divisor 72008\noffset -3000\n16129 127 -16256 16129\n-16256 -128 16384 -16256\n12700 100 "
     "-12800 12700",
     NULL, 0, 0, 0, 0, NULL},
    {"deep_signed_shifted",
     "divisor 131072\noffset 30%\n11430 -16256 16129 16129 16129 635 -12700\n11430 -16256 16129 "
     "16129 16129 635 -12700\n-11520 16384 -16256 -16256 -16256 -640 12800\n11430 -16256 16129 "
     "16129 16129 635 -12700\n270 -384 381 381 381 15 -300\n8910 -12672 12573 12573 12573 495 "
     "-9900\n11430 -16256 16129 16129 16129 635 -12700\n-8100 11520 -11430 -11430 -11430 -450 "
     "9000\n11430 -16256 16129 16129 16129 635 -12700",
     NULL, 0, 0, 0, 0, NULL},
    {"deep_bytes", "divisor 1021\n765 3\n51000 200", NULL, 0, 0, 0, 0, NULL},
    {"deep_bytes_wide", "divisor 98304\n65025 65025 64770 255\n65025 65025 64770 255", NULL, 0, 0,
     0, 0, NULL},
    {"deep_pairs",
     "divisor 4194304\noffset 50%\n81 1170 4581 6768 4581 1170 81\n1170 16900 66170 97760 66170 "
     "16900 1170\n4581 66170 259081 382768 259081 66170 4581\n6768 97760 382768 565504 382768 "
     "97760 6768\n4581 66170 259081 382768 259081 66170 4581\n1170 16900 66170 97760 66170 16900 "
     "1170\n81 1170 4581 6768 4581 1170 81",
     NULL, 0, 0, 0, 0, NULL},
    {"deep_pairs_to_the_edge", "divisor 2147418112\n1073659905 1073725440", NULL, 0, 0, 0, 0, NULL},
    {"deep_pairs_odd", "divisor 70003\n2 600\n0 0\n7 2100", NULL, 0, 0, 0, 0, NULL},
    {"deep_extra",
     "divisor 1310720\n14000 70000 210000 357000 179200 2100 700\n40 200 600 1020 512 6 2\n180 900 "
     "2700 4590 2304 27 9",
     NULL, 0, 0, 0, 0, NULL},
    {"deep_extra_last",
     "divisor 983040\noffset 10%\n1 0 2 3 0 0 5 255 7 0 9 400 300 257\n255 0 510 765 0 0 1275 "
     "65025 1785 0 2295 102000 76500 65535\n257 0 514 771 0 0 1285 65535 1799 0 2313 102800 77100 "
     "66049",
     NULL, 0, 0, 0, 0, NULL},
    {"deep_extra_apart",
     "divisor 65536\n1204 0 8 12 0 0 20 1020 28 0 36 1600 1200 1028\n1806 0 12 18 0 0 30 1530 42 0 "
     "54 2400 1800 1542",
     NULL, 0, 0, 0, 0, NULL},
    /* A white area is just below the next sample. */
    {"deep_rounding", "divisor 131072\noffset -5\n87380 43690\n2 1", NULL, 0, 0, 0, 0, NULL},
    {"deep_outer9x12", FACTORS, NULL, 9, 12, 0, 6, "1009"},
    {"deep_outer19x18", FACTORS, NULL, 19, 18, 0, 255, "5242880"},
    {"deep_outer25x24", FACTORS, NULL, 25, 24, -100, 127, "1048576"},
    {"deep_outer31", FACTORS, NULL, 31, 31, 0, 1500, "536870912"},
    {"large_divisor", "divisor 70000\n1 2 4\n2 4 8", NULL, 0, 0, 0, 0, NULL},
    {"int16_limits", "divisor 32769\n-32768 32767\n32767 3", NULL, 0, 0, 0, 0, NULL},
    /* Flat areas of a picture give exactly a half, or miss it by 1e-18: no sample can be
     * certified. */
    {"all_doubtful", "offset 0.5\n1.5e-18 0.25 0\n0.25 0.25 0\n0.25 -1e-18 1e-18", NULL, 0, 0, 0, 0,
     NULL},
    {"half_doubtful", "0.499999999999999999 1e-18 0\n0 -1e-18 0\n0 0 0.5", NULL, 0, 0, 0, 0, NULL},
    {"sharpening_decimals",
     "offset 0.3\n-0.11111 -0.12345 -0.11111\n-0.10001 1.88889 -0.11111\n0 -0.22222 -0.11111", NULL,
     0, 0, 0, 0, NULL},
    /* An outer product, except for the digits beyond its 15. */
    {"near_rank1",
     "anchor 0 3\n0.012345678901235 0.024691357802470 -0.037037036703705 0.006172839450618\n"
     "0.034567890923458 0.069135781846916 -0.103703672770374 0.017283945461729\n"
     "0.111111110111115 0.222222220222230 -0.333333330333345 0.055555555055558\n"
     "-0.027160493582717 -0.054320987165434 0.081481480748151 -0.013580246791359\n"
     "0.3 0.6 -0.9 0.15",
     NULL, 0, 0, 0, 0, NULL},
    /* Gaussians as numpy.savetxt prints them. */
    {"savetxt_bell3",
     "1.134373655849506973e-02 8.381950580221057823e-02 1.134373655849506973e-02\n"
     "8.381950580221057823e-02 6.193470305571771028e-01 8.381950580221057823e-02\n"
     "1.134373655849506973e-02 8.381950580221057823e-02 1.134373655849506973e-02",
     NULL, 0, 0, 0, 0, NULL},
    {"savetxt_bell5",
     "2.969016743950496796e-03 1.330620989101364941e-02 2.193823127971463935e-02 "
     "1.330620989101364941e-02 2.969016743950496796e-03\n"
     "1.330620989101364941e-02 5.963429543618013057e-02 9.832033134884574088e-02 "
     "5.963429543618013057e-02 1.330620989101364941e-02\n"
     "2.193823127971463935e-02 9.832033134884574088e-02 1.621028216371266095e-01 "
     "9.832033134884574088e-02 2.193823127971463935e-02\n"
     "1.330620989101364941e-02 5.963429543618013057e-02 9.832033134884574088e-02 "
     "5.963429543618013057e-02 1.330620989101364941e-02\n"
     "2.969016743950496796e-03 1.330620989101364941e-02 2.193823127971463935e-02 "
     "1.330620989101364941e-02 2.969016743950496796e-03",
     NULL, 0, 0, 0, 0, NULL},
    {"near_rank1_13x15", NEAR, NULL, 13, 15, 1, 900000, "39500000000000"},
    {"near_rank1_signed_6x7", NEAR, NULL, 6, 7, -1000000, 2000000, "30000000000000"},
    {"near_rank1_40x37", NEAR, NULL, 40, 37, 1, 200000, "15000000000000"},
    {"near_rank2_13x15", NEAR_RANK_2, NULL, 13, 15, 1, 500000, "15000000000000"},
    {"near_rank2_signed_30x12", NEAR_RANK_2, NULL, 30, 12, -100000, 400000, "9000000000000"},
    {"near_rank3_22x19", NEAR_RANK_3, NULL, 22, 19, 1, 300000, "11000000000000"},
    /* weighted_...: colour weighted by alpha. 19 digits, gain and offset, a column times a row
     * except for the last digits, zeros, sums that no bound decides, and whole numbers. */
    {"weighted_savetxt",
     "3.765087519824857121e-02 1.111111111111111111e-01 2.718281828459045235e-02\n"
     "1.234567890123456789e-01 3.141592653589793238e-01 5.772156649015328606e-02\n"
     "1.010101010101010101e-02 2.500000000000000001e-01 3.333333333333333333e-02",
     NULL, 0, 0, 0, 0, NULL},
    {"weighted_gain", "offset -70.3\nanchor 3 1\n1.100000000000000001 0 0.7 0.3\n0 0.9 1e-17 0",
     NULL, 0, 0, 0, 0, NULL},
    {"weighted_near_rank1",
     "2.291831180523293e-02 5.855130199543219e-02 2.3021e-2 2.291831180523293e-02\n"
     "5.855130199543213e-02 1.495846600214251e-01 5.881367018542001e-02 5.855130199543213e-02\n"
     "2.302100000000004e-02 5.881367018541999e-02 2.312415e-2 2.3021e-2\n"
     "4.583662361046586e-02 1.171026039908643e-01 4.6042e-2 4.583662361046586e-02",
     NULL, 0, 0, 0, 0, NULL},
    {"weighted_bell5x6", BELL, NULL, 5, 6, 0, 0, "1000000000000000000"},
    {"weighted_bell31x33", BELL, NULL, 31, 33, 0, 0, "1000000000000000000"},
    {"weighted_doubtful", "0.499999999999999999 1e-18 0.5\n0 0 0", NULL, 0, 0, 0, 0, NULL},
    {"weighted_64_bits7x6", NULL, NULL, 7, 6, 0, 3000000019, "63000000000"},
    {"weighted_wide21x2", NULL, NULL, 21, 2, 1, 1000000007, "21000000000"},
    {"weighted_small5", NULL, NULL, 5, 5, 0, 12, "150"},
    {"weighted_box13x5", NULL, NULL, 13, 5, 3, 3, "195"},
    /* Divided by their sum. Products with alpha that just fit 32 bits, and that do not; the largest
     * sum. */
    {"weighted_whole3", WHOLE, NULL, 3, 3, 0, 255, NULL},
    {"weighted_whole5", WHOLE, NULL, 5, 5, 0, 255, NULL},
    {"weighted_whole7", WHOLE, NULL, 7, 7, 0, 255, NULL},
    {"weighted_whole9", WHOLE, NULL, 9, 9, 0, 255, NULL},
    {"weighted_whole12x7", WHOLE, NULL, 12, 7, 0, 255, NULL},
    {"weighted_bytes20x17", WHOLE, NULL, 20, 17, 180, 255, NULL},
    {"weighted_two_bytes6x5", WHOLE, NULL, 6, 5, 0, 65535, NULL},
    {"weighted_within_32_bits", "normalize\n65000 921", NULL, 0, 0, 0, 0, NULL},
    {"weighted_past_32_bits", "normalize\n65000 922", NULL, 0, 0, 0, 0, NULL},
    {"weighted_largest_sum", "normalize\n4194304 4194303", NULL, 0, 0, 0, 0, NULL},
    {"weighted_high9x64", WHOLE, NULL, 9, 64, 253, 255, NULL},
    {"decimal_64_bits", NULL, NULL, 11, 9, -20000, 300003, "9900001"},
    {"peak7x6", PEAK, NULL, 7, 6, -10000000000019, 20000000000003, "600000000000000"},
    {"peak5x9", PEAK, NULL, 5, 9, -20000000000003, 1000000000039, "900000000000000"},
    {"peak16x15", PEAK, NULL, 16, 15, 0, 20000000000003, "4500000000000001"},
    {"positive_64_bits", NULL, NULL, 5, 6, 0, 3000000019, "45000000000"},
    {"noise_64_bits", NULL, NULL, 15, 15, -3000000019, 3000000019, "45000000000"},
    /* Several columns times rows: small numbers, modulo 2^32, sums of 64 bits; two boxes. */
    {"rank2_12x9", LOW_RANK, NULL, 12, 9, -40, 90, "150000"},
    {"rank3_14x15", ONE_CELL, NULL, 14, 15, -30, 45, "90000"},
    {"rank2_64_bits11x13", ONE_CELL, NULL, 11, 13, 0, 1900, "200000000"},
    {"rank2_past_int32_8x8", LOW_RANK, NULL, 8, 8, -60000, 90000, "90000000000"},
    {"rank2_boxes15x16", LOW_RANK, NULL, 15, 16, 7, 7, "15000"},
    {"rank2_37x30", LOW_RANK, NULL, 37, 30, -9, 17, "90000"},
    {"random48x21_64_bits", NULL, NULL, 48, 21, -1000000007, 3000000019, "65025000000000"},
    /* Rank 1, by the size of the row factor's sums: 16 bits, 18, 20, more; one byte or two a
     * weight; and samples that are the upper bytes of sums. */
    {"factors_16_bits14x15", FACTORS, NULL, 14, 15, 0, 28, "38000"},
    {"factors_16_bits20x33", FACTORS, NULL, 20, 33, 0, 20, "60000"},
    {"factors_18_bits9x7", FACTORS, NULL, 9, 7, 20, 110, "290000"},
    {"factors_18_bits_signed12x15", FACTORS, NULL, 12, 15, -100, 110, "90000"},
    {"factors_18_bits27x25", FACTORS, NULL, 27, 25, 1, 60, "600000"},
    {"factors_20_bits13x12", FACTORS, NULL, 13, 12, 90, 150, "2246400"},
    {"factors_20_bits29x9", FACTORS, NULL, 29, 9, 60, 140, "2610000"},
    {"factors_past_2048_15x17", FACTORS, NULL, 15, 17, 122, 127, "3950000"},
    {"factors_past_18_bits_signed20x24", FACTORS, NULL, 20, 24, -128, 127, "400000"},
    {"factors_past_18_bits_signed31x29", FACTORS, NULL, 31, 29, -40, 127, "1800000"},
    {"factors_past_31_bits31x29", FACTORS, NULL, 31, 29, 110, 127, "12000000"},
    {"factors_past_4096_signed30x40", FACTORS, NULL, 30, 40, -120, 127, "900000"},
    {"factors_row31", FACTORS, NULL, 31, 1, -100, 127, "3000"},
    {"factors_past_bytes7x8", FACTORS, NULL, 7, 8, -200, 400, "270000"},
    {"factors_past_bytes15x16", FACTORS, NULL, 15, 16, -130, 260, "400000"},
    {"factors_past_bytes23x31", FACTORS, NULL, 23, 31, -50, 140, "800000"},
    {"factors_past_halves6x9", FACTORS, NULL, 6, 9, -900, 1000, "1000000"},
    {"upper7", UPPER, NULL, 7, 7, 0, 500, "4194304"},
    {"upper14x16", UPPER, NULL, 14, 16, 0, 180, "4194304"},
    {"upper31x29", UPPER, NULL, 31, 29, 20, 100, "4194304"},
    {"upper26x33", UPPER, NULL, 26, 33, 0, 110, "4194304"},
    /* As Gaussians of 16-bit pictures: entries past int16, past bytes and of bytes. */
    {"upper_16_bits5", UPPER_16, NULL, 5, 5, 0, 9000, "4294967296"},
    {"upper_16_bits9x7", UPPER_16, NULL, 9, 7, 3000, 8000, "4294967296"},
    {"upper_16_bits15x16", UPPER_16, NULL, 15, 16, 0, 8000, "4294967296"},
    {"upper_16_bits31x29", UPPER_16, NULL, 31, 29, 0, 4000, "4294967296"},
    {"upper_16_bits31x33", UPPER_16, NULL, 31, 33, 1000, 2200, "4294967296"},
    {"upper_16_bits47x40", UPPER_16, NULL, 47, 40, 0, 2700, "4294967296"},
    {"disc13x12", DISC, NULL, 13, 12, -3, 3, "450"},
    {"half_disc31x30", DISC, NULL, 31, 30, 0, 60000, "20000000"},
    {"runs27x19", RUNS, NULL, 27, 19, -2000, 9000, "1700000"},
    {"divisor_2_64_bits", "divisor 2\n40000 -39999 0\n0 2 -2", NULL, 0, 0, 0, 0, NULL},
    {"edge_of_32_bits40x40", NULL, NULL, 40, 40, -9000, 9000, "3000000"},
    {"gain", "offset -300\n3 1\n0 2", NULL, 0, 0, 0, 0, NULL},
    {"sobel", "-1 0 1\n-2 0 2\n-1 0 1", "-1 -2 -1\n0 0 0\n1 2 1", 0, 0, 0, 0, NULL},
    {"gradient2x3", "5 -7\n0 1\n-3 4", "1 1\n-2 0\n0 3", 0, 0, 0, 0, NULL},
    {"gradient_to_the_edge", "127 -1\n0 0", "0 1\n0 -127", 0, 0, 0, 0, NULL},
    {"gradient_past_bytes", "200 -100\n-50 1", "3 4\n5 -700", 0, 0, 0, 0, NULL},
    /* Divided by what floats and doubles divide exactly, and by more; halves occur with even ones.
     */
    {"gradient_over_4", "divisor 4\n-3 0 3\n-10 0 10\n-3 0 3",
     "divisor 4\n-3 -10 -3\n0 0 0\n3 10 3", 0, 0, 0, 0, NULL},
    /* 3 x 3: squares past 2^24 and close to 2^31; roots that are a half; any divisor. */
    {"gradient3", "60 -30 3\n7 -7 5\n-1 9 2", "-1 2 -3\n4 -99 6\n-7 3 1", 0, 0, 0, 0, NULL},
    {"gradient3_halves", "divisor 2\n0 1 0\n0 0 0\n0 0 0", "divisor 2\n0 0 0\n0 0 0\n0 0 0", 0, 0,
     0, 0, NULL},
    {"gradient3_over_5", "divisor 5\n1 2 -3\n4 -5 6\n-7 8 9", "divisor 5\n-8 1 1\n2 3 -1\n0 5 4", 0,
     0, 0, 0, NULL},
    {"gradient_over_2", "divisor 2\n-1 1\n0 0", "divisor 2\n-1 0\n1 0", 0, 0, 0, 0, NULL},
    {"gradient_over_3", "divisor 3\n-7 5 1", "divisor 3\n1 1 -9", 0, 0, 0, 0, NULL},
    {"gradient_over_128", "divisor 128\n-3 700", "divisor 128\n64 -5", 0, 0, 0, 0, NULL},
    {"gradient_over_1000", "divisor 1000\n-900 1100 3", "divisor 1000\n500 -9 -700", 0, 0, 0, 0,
     NULL},
    {"random9", NULL, NULL, 9, 9, -50, 100, "1999"},
    {"positive8x11", NULL, NULL, 8, 11, 0, 90, "3960"},
    {"random15", NULL, NULL, 15, 15, -30000, 32767, "200000"},
    {"wide31x3", NULL, NULL, 31, 3, -5, 9, "186"},
    {"tall3x40", NULL, NULL, 3, 40, -2, 9, "400"},
    {"random33x29", NULL, NULL, 33, 29, -100, 300, "95700"},
    {"random127x65", NULL, NULL, 127, 65, -1000, 2000, "4127500"},
    {"random255", NULL, NULL, 255, 255, -3, 7, "130050"},
    {"huge255", NULL, NULL, 255, 255, -1000000007, 3000000019, "65025000000000"},
    /* Longer than 255 cells: single rows and columns, also quantised; columns times rows. */
    {"long_row300", NULL, NULL, 300, 1, -50, 90, "6001"},
    {"long_column257", RUNS, NULL, 1, 257, -2, 9, "899"},
    {"long_row261_64_bits", NULL, NULL, 261, 1, 0, 30000000019, "3900000000000"},
    {"long_bell_row300", BELL, NULL, 300, 1, 0, 0, "100000000000000001"},
    {"long_outer256x1", OUTER, NULL, 256, 1, -30, 50, "25000"},
    {"long_outer2x260_64_bits", OUTER, NULL, 2, 260, 0, 70000, "650000000000"},
    {"long_outer301x257", OUTER, NULL, 301, 257, 0, 9, "1500000"},
    {"weighted_long256x1", OUTER, NULL, 256, 1, 0, 3, "600"},
    {"weighted_long_64_bits2x257", OUTER, NULL, 2, 257, 0, 70000, "600000000000"},
    /* Windows of order filters, with the filter in place of the divisor. */
    {"order_median3", "1 1 1\n1 1 1\n1 1 1", NULL, 0, 0, 0, 0, "median"},
    {"order_median3_left", "anchor 2 1\n1 1 1\n1 1 1\n1 1 1", NULL, 0, 0, 0, 0, "median"},
    {"order_median3_right", "anchor 0 2\n1 1 1\n1 1 1\n1 1 1", NULL, 0, 0, 0, 0, "median"},
    {"order_median5", NULL, NULL, 5, 5, 1, 1, "median"},
    {"order_median7", NULL, NULL, 7, 7, 1, 1, "median"},
    {"order_median9", NULL, NULL, 9, 9, 1, 1, "median"},
    {"order_median11", NULL, NULL, 11, 11, 1, 1, "median"},
    {"order_median15", NULL, NULL, 15, 15, 1, 1, "median"},
    {"order_median31", NULL, NULL, 31, 31, 1, 1, "median"},
    {"order_median4x6", NULL, NULL, 4, 6, 1, 1, "median"},
    {"order_median_holes5x4", NULL, NULL, 5, 4, -1, 1, "median"},
    {"order_rank_holes9x8", NULL, NULL, 9, 8, -1, 1, "rank 30"},
    {"order_rank_square5", NULL, NULL, 5, 5, 1, 1, "rank 99%"},
    {"order_one_cell", "0 0 1\n0 0 0", NULL, 0, 0, 0, 0, "median"},
    {"order_erode3", "1 1 1\n1 1 1\n1 1 1", NULL, 0, 0, 0, 0, "erode"},
    {"order_dilate_row7", "1 1 1 1 1 1 1", NULL, 0, 0, 0, 0, "dilate"},
    {"order_dilate_column6", "1\n1\n1\n1\n1\n1", NULL, 0, 0, 0, 0, "dilate"},
    {"order_erode_disc9x7", DISC, NULL, 9, 7, 0, 3, "erode"},
    {"order_dilate_holes11x5", NULL, NULL, 11, 5, 0, 1, "dilate"},
    {"order_erode12x8", NULL, NULL, 12, 8, 1, 1, "erode"},
    {"order_dilate11x10", NULL, NULL, 11, 10, 1, 1, "dilate"},
    {"order_dilate17x33", NULL, NULL, 17, 33, 1, 1, "dilate"},
    {"order_erode35x30", NULL, NULL, 35, 30, 1, 1, "erode"},
    {"order_erode70x3", NULL, NULL, 70, 3, 1, 1, "erode"},
    {"order_erode255x1", NULL, NULL, 255, 1, 1, 1, "erode"},
    {"order_erode_holes255x3", NULL, NULL, 255, 3, -3, 1, "erode"},
    {"order_dilate_holes4x255", NULL, NULL, 4, 255, -1, 1, "dilate"},
    {"order_open_cross", "0 1 0 0\n1 1 1 1\n0 1 0 0", NULL, 0, 0, 0, 0, "open"},
    {"order_close5x4", NULL, NULL, 5, 4, 1, 1, "close"},
    {"order_outline_holes4x3", NULL, NULL, 4, 3, -1, 1, "outline"},
    {"order_tophat7x2", NULL, NULL, 7, 2, 1, 1, "tophat"},
    {"order_blackhat_holes6x7", NULL, NULL, 6, 7, 0, 1, "blackhat"},
    {"bilateral1", GAUSS, NULL, 1, 1, 0, 0, "10%"},
    {"bilateral3", GAUSS, NULL, 3, 3, 0, 0, "30%"},
    {"bilateral5", GAUSS, NULL, 5, 5, 0, 0, "20"},
    {"bilateral5_equal", GAUSS, NULL, 5, 5, 0, 0, "1/1000"},
    {"bilateral7_all", GAUSS, NULL, 7, 7, 0, 0, "1e9"},
    {"bilateral11", GAUSS, NULL, 11, 11, 0, 0, "12%"},
    {"bilateral13", GAUSS, NULL, 13, 13, 0, 0, "33"},
    {"bilateral15", GAUSS, NULL, 15, 15, 0, 0, "12.25%"},
    {"bilateral31", GAUSS, NULL, 31, 31, 0, 0, "250"},
    {"bilateral71", GAUSS, NULL, 71, 71, 0, 0, "50%"},
    {"weighted_bilateral3", GAUSS, NULL, 3, 3, 0, 0, "9%"},
    {"weighted_bilateral5", GAUSS, NULL, 5, 5, 0, 0, "60%"},
    {"weighted_bilateral17", GAUSS, NULL, 17, 17, 0, 0, "100"},
};

int check_mask_count(void)
{
    return (int)(sizeof MASKS / sizeof *MASKS);
}

const char *check_mask_name(int mask)
{
    return MASKS[mask].name;
}

int check_mask_cells(int mask)
{
    return MASKS[mask].width * MASKS[mask].height;
}

int check_mask_parts(int mask)
{
    return MASKS[mask].second ? 2 : 1;
}

bool check_mask_is_weighted(int mask)
{
    return strncmp(MASKS[mask].name, "weighted_", 9) == 0;
}

const char *check_mask_order(int mask)
{
    return strncmp(MASKS[mask].name, "order_", 6) == 0 ? MASKS[mask].divisor : NULL;
}

const char *check_mask_range(int mask)
{
    return MASKS[mask].text == GAUSS ? MASKS[mask].divisor : NULL;
}

/* Fills the mask's cells with whole numbers. */
static void mask_fill(struct mask *mask, const struct mask_case *m, uint64_t *state)
{
    uint64_t range = (uint64_t)(m->high - m->low + 1);
    int64_t column[2][MOST_SIDE], row[2][MOST_SIDE];

    for (int k = 0; k < 2 && m->text && m->text != WHOLE; k++) {
        int64_t across = m->text == UPPER_16 ? 65536 : 2048, down = across;
        for (int i = 0; i < m->height; i++)
            column[k][i] = m->low + (int64_t)(random_next(state) % range);
        for (int j = 0; j < m->width; j++)
            row[k][j] = m->low + (int64_t)(random_next(state) % range);
        for (int i = 0; i < m->height; i++)
            down -= column[k][i];
        for (int j = 0; j < m->width; j++)
            across -= row[k][j];
        column[k][m->height / 2] += m->text == UPPER || m->text == UPPER_16 ? down : 0;
        row[k][m->width / 2] += m->text == UPPER || m->text == UPPER_16 ? across : 0;
    }
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++) {
            bool inside = i > m->height / 4 && i < m->height - 2 && j > 0 && j < m->width / 2;
            int64_t w;
            if (m->text == BELL)
                w = (int64_t)(6e16 * exp(-0.3 * (i - 2) * (i - 2) - 0.4 * (j - 3) * (j - 3)));
            else if (m->text == RUNS && j > 0 && random_next(state) % 8 != 0)
                w = mpz_get_si(mpq_numref(mask->weight[i * m->width + j - 1]));
            else if (m->text == DISC)
                w = (2 * i - m->height) * (2 * i - m->height) + 4 * j * j < m->width * m->width
                        ? m->high
                        : i % 5 / 4 * m->low;
            else if (m->text == NEAR)
                w = column[0][i] * row[0][j] + (int64_t)(random_next(state) % 1000);
            else if (m->text == FACTORS || m->text == UPPER || m->text == UPPER_16)
                w = column[0][i] * row[0][j];
            else if (m->text && m->text != RUNS && m->text != PEAK && m->text != WHOLE)
                w = column[0][i] * row[0][j] + (inside ? column[1][i] * row[1][j] : 0);
            else
                w = m->low + (int64_t)(random_next(state) % range);
            if (m->text == PEAK && abs(i - m->height / 2) < 2 && abs(j - m->width / 2) < 2)
                w *= 20;
            if (m->text == NEAR_RANK_2 || m->text == NEAR_RANK_3)
                w += (int64_t)(random_next(state) % 1000);
            if ((m->text == ONE_CELL || m->text == NEAR_RANK_3) && i == m->height / 2 &&
                j == m->width / 2)
                w += m->high * m->high * 5;
            mpq_set_si(mask->weight[i * m->width + j], (long)w, 1);
        }
}

/* The numbers of an outer mask. */
static void outer_fill(struct mask *mask, const struct mask_case *m, uint64_t *state)
{
    for (int k = 0; k <= mask_numbers(mask); k++) {
        int64_t w = m->low + (int64_t)(random_next(state) % (uint64_t)(m->high - m->low + 1));
        mpq_set_si(k < mask_numbers(mask) ? mask->weight[k] : mask->centre, (long)w, 1);
    }
}

bool check_mask_make(struct mask *made, int mask, int part, uint64_t *state, struct error *err)
{
    const struct mask_case *m = &MASKS[mask];
    const char *text = part ? m->second : m->text;

    if (text == GAUSS)
        return mask_build_gauss(made, m->width / 4.0, m->width / 2, MASK_SQUARE, MASK_UNITS_2048,
                                err);
    if (text && text != LOW_RANK && text != ONE_CELL && text != RUNS && text != DISC &&
        text != NEAR && text != NEAR_RANK_2 && text != NEAR_RANK_3 && text != BELL &&
        text != PEAK && text != FACTORS && text != UPPER && text != UPPER_16 && text != WHOLE &&
        text != OUTER)
        return mask_parse(made, m->name, text, strlen(text), err);
    if (text == OUTER) {
        mask_init_outer(made, m->width, m->height);
        outer_fill(made, m, state);
    } else {
        mask_init(made, m->width, m->height);
        mask_fill(made, m, state);
    }
    if (text == WHOLE)
        mask_sum(made->divisor, made);
    else if (!check_mask_order(mask))
        mpq_set_str(made->divisor, m->divisor, 10);
    made->anchor_x = text == WHOLE ? m->width / 2 : pick(state, m->width);
    made->anchor_y = text == WHOLE ? m->height / 2 : pick(state, m->height);
    return true;
}
