/* Every damaged, forged or unsupported PNG, JPEG, BMP, WebP, TIFF, TGA, GIF, PSD and Y4M of
 * testdata/hostile is refused quickly, with the message that fits its damage. scripts/make_hostile
 * describes the files; a file that is not listed here is a failure. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "codec/codec.h"
#include "tests/test.h"

#define FOLDER "testdata/hostile/"

struct hostile {
    const char *name, *sentence;
};

static const struct hostile png[] = {
    {"block_type", "damaged PNG: the compressed data is damaged"},
    {"bomb", "damaged PNG: there is more compressed data than the picture needs"},
    {"chunk_length", "damaged PNG: an impossible length in chunk IDAT at byte 33"},
    {"chunk_length_forged", "truncated PNG: 2 of 16 rows"},
    {"chunk_type", "damaged PNG: there is no chunk at byte 33"},
    {"colour_type", "damaged PNG: there is no colour type 1 with 8 bits"},
    {"compression_method",
     "damaged PNG: an unknown compression or filter method in chunk IHDR at byte 8"},
    {"critical_chunk", "unknown kind of PNG: it needs chunk ABCD at byte 33 to be understood"},
    {"data_behind", "damaged PNG: there is more compressed data than the picture needs"},
    {"data_behind_cut", "damaged PNG: there is more compressed data than the picture needs"},
    {"data_behind_chunk", "damaged PNG: there is more compressed data than the picture needs"},
    {"data_behind_interlaced", "damaged PNG: there is more compressed data than the picture needs"},
    {"data_ends", "damaged PNG: the compressed data ends early"},
    {"data_of_one_byte", "damaged PNG: the compressed data ends early"},
    {"depth", "damaged PNG: there is no colour type 0 with 3 bits"},
    {"depth_of_colour", "damaged PNG: there is no colour type 2 with 4 bits"},
    {"depth_sum", "damaged PNG: there is no colour type 2 with 24 bits"},
    {"empty", "the file is empty"},
    {"end_content", "damaged PNG: content where none belongs in chunk IEND at byte 840"},
    {"filter_method",
     "damaged PNG: an unknown compression or filter method in chunk IHDR at byte 8"},
    {"filter_type", "damaged PNG: row 5 has filter type 9"},
    {"filter_type_interlaced", "damaged PNG: row 1 of pass 6 has filter type 5"},
    {"forged_height", "truncated PNG: 16 of 32 rows"},
    {"half_signature", "truncated PNG: the file ends inside its signature"},
    {"header_length", "damaged PNG: a header of the wrong length in chunk IHDR at byte 8"},
    {"huge", "damaged PNG: 60000 x 60000 pixels cannot come out of its 795 bytes of data"},
    {"huge_gray",
     "damaged PNG: 16777215 x 16777215 pixels cannot come out of its 795 bytes of data"},
    {"huge_side", "2147483647 x 1 pixels: more than 16777216 on a side cannot be read"},
    {"interlace_method", "damaged PNG: an unknown interlace method in chunk IHDR at byte 8"},
    {"iphone", "damaged PNG: chunk CgBI at byte 8 stands before the header"},
    {"long_data", "damaged PNG: there is more compressed data than the picture needs"},
    {"lookback", "damaged PNG: the compressed data is damaged"},
    {"no_data", "damaged PNG: it holds no picture data"},
    {"no_header", "damaged PNG: chunk IDAT at byte 8 stands before the header"},
    {"no_palette", "damaged PNG: no palette before the picture in chunk IDAT at byte 33"},
    {"not_zlib", "damaged PNG: it is not compressed as zlib does it"},
    {"palette_after_transparency",
     "damaged PNG: a palette behind the transparency in chunk PLTE at byte 51"},
    {"palette_behind", "damaged PNG: a second palette in chunk PLTE at byte 89"},
    {"palette_empty", "damaged PNG: a palette of the wrong length in chunk PLTE at byte 33"},
    {"palette_gray", "damaged PNG: a palette beside gray samples in chunk PLTE at byte 33"},
    {"palette_index", "damaged PNG: row 0 has a colour that its palette lacks: 4"},
    {"palette_index_bits", "damaged PNG: row 1 has a colour that its palette lacks: 5"},
    {"palette_index_interlaced",
     "damaged PNG: row 0 of pass 5 has a colour that its palette lacks: 4"},
    {"palette_length", "damaged PNG: a palette of the wrong length in chunk PLTE at byte 33"},
    {"palette_too_long", "damaged PNG: a palette of the wrong length in chunk PLTE at byte 33"},
    {"preset_dictionary", "damaged PNG: it is not compressed as zlib does it"},
    {"short_data", "truncated PNG: 3 of 16 rows"},
    {"short_interlaced", "truncated PNG: 2 of 19 rows"},
    {"signature_only", "truncated PNG: the file ends before its last chunk"},
    {"split_data", "damaged PNG: picture data that is not in one piece in chunk IDAT at byte 360"},
    {"text_transfer", "damaged PNG: its signature was changed (by a transfer as text?)"},
    {"transparency_alpha",
     "damaged PNG: a transparency beside an alpha channel in chunk tRNS at byte 33"},
    {"transparency_behind",
     "damaged PNG: a transparency behind the picture in chunk tRNS at byte 65"},
    {"transparency_length",
     "damaged PNG: a transparency of the wrong length in chunk tRNS at byte 33"},
    {"transparency_too_long",
     "damaged PNG: a transparency of the wrong length in chunk tRNS at byte 57"},
    {"truncated_before_data", "truncated PNG: the file ends inside the head of a chunk"},
    {"truncated_before_end", "truncated PNG: the file ends before its last chunk"},
    {"truncated_header", "truncated PNG: the file ends inside chunk IHDR at byte 8"},
    {"truncated_inside_end", "truncated PNG: the file ends inside the head of a chunk"},
    {"truncated_rows", "truncated PNG: 7 of 16 rows"},
    {"two_headers", "damaged PNG: a second header in chunk IHDR at byte 33"},
    {"two_palettes", "damaged PNG: a second palette in chunk PLTE at byte 57"},
    {"two_transparencies", "damaged PNG: a second transparency in chunk tRNS at byte 47"},
    {"wrong_adler", "damaged PNG: the Adler-32 checksum does not match"},
    {"wrong_adler_interlaced", "damaged PNG: the Adler-32 checksum does not match"},
    {"wrong_crc", "damaged PNG: the CRC of chunk IDAT at byte 33 does not match"},
    {"wrong_crc_header", "damaged PNG: the CRC of chunk IHDR at byte 8 does not match"},
    {"wrong_crc_interlaced", "damaged PNG: the CRC of chunk IDAT at byte 33 does not match"},
    {"wrong_crc_text", "damaged PNG: the CRC of chunk tEXt at byte 33 does not match"},
    {"zero_height", "damaged PNG: 16 x 0 pixels are no picture"},
    {"zero_width", "damaged PNG: 0 x 16 pixels are no picture"},
};

static const struct hostile jpeg[] = {
    {"arithmetic", "a JPEG with arithmetic coding cannot be read; try: jpegtran "
                   "testdata/hostile/arithmetic.jpg | stencilcli FILTER - OUTPUT"},
    {"bits_missing", "truncated JPEG: scans are missing (it has 2)"},
    {"cmyk", "a JPEG with CMYK colours cannot be read; try: djpeg testdata/hostile/cmyk.jpg | "
             "stencilcli FILTER - OUTPUT"},
    {"comment_length", "damaged JPEG: an impossible length at byte 4"},
    {"component_missing", "truncated JPEG: scans are missing (it has 2)"},
    {"cut_segment", "truncated JPEG: the data ends at byte 40"},
    {"data_behind", "damaged JPEG: 32 extraneous bytes before marker 0xd9, near byte 174"},
    {"frame_length", "damaged JPEG: Bogus marker length, near byte 113"},
    {"hierarchical",
     "a JPEG with hierarchical coding cannot be read: convert it to a common JPEG or a PNG"},
    {"huffman_cut", "damaged JPEG: Bogus marker length, near byte 73"},
    {"huffman_impossible", "damaged JPEG: Bogus Huffman table definition, near byte 158"},
    {"huffman_missing", "damaged JPEG: a Huffman table was not defined"},
    {"huffman_other", "damaged JPEG: a Huffman table was not defined"},
    {"huffman_overflow", "damaged JPEG: Bogus Huffman table definition, near byte 73"},
    {"huge", "65535 x 65535 pixels: more than 65500 on a side cannot be read"},
    {"huge_colour", "65535 x 65535 pixels: more than 65500 on a side cannot be read"},
    {"large", "truncated JPEG: its 138 bytes cannot hold 8000 x 8000 pixels"},
    {"lossless", "a JPEG with lossless coding needs djpeg of libjpeg-turbo 3; try: djpeg "
                 "testdata/hostile/lossless.jpg | stencilcli FILTER - OUTPUT"},
    {"many_scans", "damaged JPEG: more scans than make sense"},
    {"no_end", "truncated JPEG: 0 of 16 rows"},
    {"no_frame", "damaged JPEG: Invalid JPEG file structure: SOS before SOF, near byte 113"},
    {"no_marker", "damaged JPEG: 3 extraneous bytes before marker 0xc0, near byte 114"},
    {"no_picture", "damaged JPEG: JPEG datastream contains no image, near byte 4"},
    {"no_scan", "damaged JPEG: Invalid JPEG file structure: missing SOS marker, near byte 126"},
    {"no_such_code", "damaged JPEG: bad Huffman code, near byte 134"},
    {"quantisation_cut", "damaged JPEG: Bogus marker length, near byte 4"},
    {"quantisation_missing", "damaged JPEG: Quantization table 0x00 was not defined, near byte 65"},
    {"restart_length", "damaged JPEG: Bogus marker length, near byte 113"},
    {"restarts_missing", "damaged JPEG: found marker 0xd9 instead of RST0, near byte 144"},
    {"sampling_fraction", "a JPEG whose colours are sampled at a fraction that is not 1/n cannot "
                          "be read: convert it to a common JPEG or a PNG"},
    {"sampling_zero", "damaged JPEG: Bogus sampling factors, near byte 134"},
    {"scan_component", "damaged JPEG: Invalid component ID 2 in SOS, near byte 126"},
    {"scan_cut", "truncated JPEG: the data ends at byte 161"},
    {"scan_length", "damaged JPEG: Bogus marker length, near byte 126"},
    {"scans_missing", "truncated JPEG: scans are missing (it has 1)"},
    {"segment_length", "damaged JPEG: Bogus marker length, near byte 4"},
    {"start_only", "truncated JPEG: the data ends at byte 2"},
    {"twelve_bits", "a JPEG with more than 8 bits a sample needs djpeg of libjpeg-turbo 3; try: "
                    "djpeg testdata/hostile/twelve_bits.jpg | stencilcli FILTER - OUTPUT"},
    {"two_components", "a JPEG with an unknown number of components cannot be read: convert it to "
                       "a common JPEG or a PNG"},
    {"two_frames", "damaged JPEG: Invalid JPEG file structure: two SOF markers, near byte 126"},
    {"unknown_marker", "damaged JPEG: Unsupported marker type 0xf0, near byte 113"},
    {"zero_height", "damaged JPEG: 16 x 0 pixels are no picture"},
    {"zero_width", "damaged JPEG: 0 x 16 pixels are no picture"},
};

#ifdef HAVE_TIFF
static const struct hostile tiff[] = {
    {"checksum_deflate", "damaged TIFF: Decoding error at scanline 0"},
    {"circle", "damaged TIFF: its directories form a circle"},
    {"cmyk", "a TIFF of CMYK colours, which is not read; try: convert testdata/hostile/cmyk.tif "
             "-colorspace sRGB png:- | stencilcli FILTER - OUTPUT"},
    {"cut_deflate", "damaged TIFF: Decoding error at scanline 0"},
    {"cut_directory", "damaged TIFF: a directory refers to byte 776; the file has 758"},
    {"cut_lzw", "damaged TIFF: LZWDecode: Strip 0 not terminated with EOI code"},
    {"cut_packbits", "damaged TIFF: Not enough data for scanline 0"},
    {"damaged_deflate", "damaged TIFF: Decoding error at scanline 0"},
    {"damaged_lzw", "damaged TIFF: Using code not yet in table"},
    {"deep", "a TIFF of more than 16 bits a sample, which is not read; try: convert "
             "testdata/hostile/deep.tif -depth 16 png:- | stencilcli FILTER - OUTPUT"},
    {"directory_outside", "damaged TIFF: a directory refers to byte 2147483647; the file has 908"},
    {"dng",
     "is a RAW photograph, which is not read; try: dcraw_emu -w -Z - testdata/hostile/dng.tif "
     "| stencilcli FILTER - OUTPUT"},
    {"five_channels",
     "a TIFF of 5 channels; at most 4 are read, as gray, RGB and alpha: take some with "
     "gdal_translate -b 1 -b 2 -b 3 IN OUT"},
    {"floating", "a TIFF of floating-point samples, which is not read; try: convert "
                 "testdata/hostile/floating.tif -depth 16 png:- | stencilcli FILTER - OUTPUT"},
    {"gray_of_three", "a TIFF of 3 channels, which are neither gray nor RGB"},
    {"half_header", "truncated TIFF: the file ends inside its header"},
    {"half_header_big", "truncated TIFF: the file ends inside its header"},
    {"header_only", "damaged TIFF: a directory refers to byte 776; the file has 8"},
    {"huge", "damaged TIFF: Incorrect count for \"StripOffsets\""},
    {"huge_rows", "damaged TIFF: Incorrect count for \"StripOffsets\""},
    {"huge_side", "4294967295 x 16 pixels: more than 268435455 on a side cannot be read"},
    {"huge_tile", "no memory to read it: a row of its tiles takes 1572864 MB"},
    {"lab", "a TIFF of Lab colours, which is not read; try: convert testdata/hostile/lab.tif "
            "-colorspace sRGB png:- | stencilcli FILTER - OUTPUT"},
    {"no_jpeg", "damaged TIFF: Not a JPEG file: starts with 0xee 0x5f"},
    {"no_palette", "damaged TIFF: it has no palette"},
    {"no_pixels", "damaged TIFF: Computed scanline size is zero"},
    {"no_strips", "damaged TIFF: TIFF directory is missing required \"StripOffsets\" field"},
    {"no_tags", "damaged TIFF: a directory of 0 tags"},
    {"odd_tile", "damaged TIFF: Cannot handle zero number of tiles"},
    {"signed", "a TIFF of signed or complex samples, which is not read; try: convert "
               "testdata/hostile/signed.tif -depth 16 png:- | stencilcli FILTER - OUTPUT"},
    {"strange_type", "damaged TIFF: tag 279 has the type 170"},
    {"strip_cut", "truncated TIFF: strip 1 of 1 needs more bytes than there are"},
    {"strip_missing", "damaged TIFF: strip 2 of 2 is not in the file"},
    {"strip_outside", "truncated TIFF: strip 1 of 1 needs more bytes than there are"},
    {"ten_bits", "a TIFF of odd sample depths, which is not read; try: convert "
                 "testdata/hostile/ten_bits.tif -depth 16 png:- | stencilcli FILTER - OUTPUT"},
    {"unknown_compression",
     "a TIFF of a compression that this libtiff lacks, which is not read; try: convert "
     "testdata/hostile/unknown_compression.tif png:- | stencilcli FILTER - OUTPUT"},
    {"value_outside", "damaged TIFF: the values of tag 51234 lie outside of the file"},
    {"values_too_many", "damaged TIFF: the values of tag 51234 lie outside of the file"},
    {"which_channel",
     "the last of its 4 channels may be alpha or anything else; this makes it alpha: tiffset "
     "-s 338 1 2 FILE"},
    {"ycbcr", "a TIFF of YCbCr colours without JPEG, which is not read; try: convert "
              "testdata/hostile/ycbcr.tif -colorspace sRGB png:- | stencilcli FILTER - OUTPUT"},
};
#endif

static const struct hostile bmp[] = {
    {"cut_file_header", "truncated BMP: the file ends inside its header"},
    {"cut_header", "truncated BMP: the file ends inside its header"},
    {"forged_file_size", "truncated BMP: 3 of 300 rows"},
    {"forged_height", "truncated BMP: 3 of 300 rows"},
    {"header_length", "damaged BMP: its pixels begin inside its header"},
    {"header_length_huge", "damaged BMP: its header has an unknown length"},
    {"header_only", "truncated BMP: 0 of 3 rows"},
    {"holds_jpeg",
     "a BMP with unusual compression cannot be read: convert it to a plain BMP or a PNG"},
    {"huge", "60000 x 60000 pixels: a BMP of more than 2 GiB of samples cannot be read"},
    {"huge_one_bit", "truncated BMP: 0 of 15000 rows"},
    {"lowest_height", "4 x 2147483648 pixels: a BMP of more than 2 GiB of samples cannot be read"},
    {"masks_24_bits", "damaged BMP: it has colour masks but not 16 or 32 bits a pixel"},
    {"masks_in_pieces", "a BMP with colours of more than 8 bits or in pieces cannot be read: "
                        "convert it to a plain BMP or a PNG"},
    {"masks_missing", "damaged BMP: its colour masks are missing"},
    {"masks_overlap", "damaged BMP: its colour masks make no sense"},
    {"masks_ten_bits", "a BMP with colours of more than 8 bits or in pieces cannot be read: "
                       "convert it to a plain BMP or a PNG"},
    {"masks_too_high", "damaged BMP: its colour masks make no sense"},
    {"masks_zero", "damaged BMP: its colour masks make no sense"},
    {"negative_width", "damaged BMP: -4 x 3 pixels are no picture"},
    {"no_palette", "damaged BMP: it has no palette"},
    {"no_planes", "damaged BMP: it does not have one plane"},
    {"palette_index", "damaged BMP: row 2 has a colour that its palette lacks: 2"},
    {"pixels_behind", "truncated BMP: 0 of 3 rows"},
    {"pixels_in_header", "damaged BMP: its pixels begin inside its header"},
    {"run_length_bits", "damaged BMP: its run-length compression does not suit its bits a pixel"},
    {"run_length_cut", "truncated BMP: 1 of 3 rows"},
    {"run_length_index", "damaged BMP: row 1 has a colour that its palette lacks: 2"},
    {"run_length_leaves", "damaged BMP: its compressed pixels leave the picture"},
    {"run_length_top_down", "damaged BMP: it is compressed, and begins with the top row"},
    {"three_bits", "a BMP with an unusual number of bits a pixel cannot be read: convert it to a "
                   "plain BMP or a PNG"},
    {"truncated_rows", "truncated BMP: 2 of 3 rows"},
    {"zero_height", "damaged BMP: 4 x 0 pixels are no picture"},
    {"zero_width", "damaged BMP: 0 x 3 pixels are no picture"},
};

static const struct hostile tga[] = {
    {"cut_palette", "damaged TGA: the file ends before its picture does"},
    {"header_only", "truncated TGA: 0 of 3 rows"},
    {"huge", "truncated TGA: 0 of 65535 rows"},
    {"huge_compressed", "truncated TGA: 0 of 65535 rows"},
    {"palette_index", "damaged TGA: it has a colour that its palette lacks"},
    {"palette_first",
     "a TGA with an unusual palette is not read; try: convert "
     "testdata/hostile/palette_first.tga'[0]' -colorspace sRGB png:- | stencilcli FILTER - OUTPUT"},
    {"right_to_left",
     "a TGA with columns from right to left is not read; try: convert "
     "testdata/hostile/right_to_left.tga'[0]' -colorspace sRGB png:- | stencilcli FILTER - OUTPUT"},
    {"run_length_cut", "truncated TGA: 1 of 3 rows"},
    {"run_length_leaves", "damaged TGA: its compressed pixels leave the picture"},
    {"truncated_rows", "truncated TGA: 2 of 3 rows"},
};

static const struct hostile gif[] = {
    {"code_before_table", "damaged GIF: its compressed pixels make no sense"},
    {"code_before_clear", "damaged GIF: its compressed pixels make no sense"},
    {"code_size", "damaged GIF: it has no palette, or an impossible size of codes"},
    {"control_length", "damaged GIF: it holds no whole picture"},
    {"cut_before_picture", "damaged GIF: it holds no whole picture"},
    {"cut_data", "truncated GIF: 0 of 1 rows"},
    {"cut_header", "damaged GIF: it holds no whole picture"},
    {"cut_palette", "damaged GIF: it holds no whole picture"},
    {"cut_place", "damaged GIF: it holds no whole picture"},
    {"data_ends", "truncated GIF: 0 of 1 rows"},
    {"empty_picture", "damaged GIF: its picture is empty or leaves the canvas"},
    {"huge", "truncated GIF: 0 of 65535 rows"},
    {"leaves", "damaged GIF: its compressed pixels leave the picture"},
    {"leaves_canvas", "damaged GIF: its picture is empty or leaves the canvas"},
    {"no_end_of_data", "truncated GIF: 0 of 1 rows"},
    {"no_palette", "damaged GIF: it has no palette, or an impossible size of codes"},
    {"no_picture", "damaged GIF: it holds no whole picture"},
    {"no_such_code", "damaged GIF: its compressed pixels make no sense"},
    {"palette_index", "damaged GIF: it has a colour that its palette lacks"},
    {"unknown_block", "damaged GIF: it holds no whole picture"},
};

static const struct hostile psd[] = {
    {"cmyk", "a PSD with other colours than RGB is not read; try: convert "
             "testdata/hostile/cmyk.psd'[0]' -colorspace sRGB png:- | stencilcli FILTER - OUTPUT"},
    {"cut_compression", "damaged PSD: the file ends before its picture does"},
    {"cut_header", "damaged PSD: the file ends before its picture does"},
    {"cut_section", "damaged PSD: the file ends before its picture does"},
    {"cut_table", "damaged PSD: the file ends before its picture does"},
    {"few_channels", "damaged PSD: 4 x 2 pixels of 2 channels are no picture"},
    {"gray", "a PSD with other colours than RGB is not read; try: convert "
             "testdata/hostile/gray.psd'[0]' -colorspace sRGB png:- | stencilcli FILTER - OUTPUT"},
    {"huge", "truncated PSD: 0 of 90000 rows of its channels"},
    {"huge_packed", "damaged PSD: row 0 of channel 1 is not compressed soundly"},
    {"huge_side", "damaged PSD: 2147483647 x 2 pixels of 3 channels are no picture"},
    {"large", "a PSD with large dimensions (a PSB) is not read; try: convert "
              "testdata/hostile/large.psd'[0]' -colorspace sRGB png:- | stencilcli FILTER "
              "- OUTPUT"},
    {"no_merged_picture", "truncated PSD: 0 of 6 rows of its channels"},
    {"one_bit", "a PSD with 1 or 32 bits a sample is not read; try: convert "
                "testdata/hostile/one_bit.psd'[0]' -colorspace sRGB png:- | stencilcli "
                "FILTER - OUTPUT"},
    {"other_compression", "a PSD with unusual compression is not read; try: convert "
                          "testdata/hostile/other_compression.psd'[0]' -colorspace sRGB "
                          "png:- | stencilcli FILTER - OUTPUT"},
    {"packed_16",
     "a PSD with unusual compression is not read; try: convert "
     "testdata/hostile/packed_16.psd'[0]' -colorspace sRGB png:- | stencilcli FILTER - OUTPUT"},
    {"packed_cut", "truncated PSD: 5 of 6 rows of its channels"},
    {"packed_empty", "damaged PSD: row 0 of channel 1 is not compressed soundly"},
    {"packed_leaves", "damaged PSD: row 1 of channel 2 is not compressed soundly"},
    {"packed_short", "damaged PSD: row 1 of channel 2 is not compressed soundly"},
    {"section_leaves", "damaged PSD: the file ends before its picture does"},
    {"truncated_rows", "truncated PSD: 4 of 6 rows of its channels"},
    {"zero_height", "damaged PSD: 4 x 0 pixels of 3 channels are no picture"},
    {"zero_width", "damaged PSD: 0 x 2 pixels of 3 channels are no picture"},
};

static const struct hostile y4m[] = {
    {"above_max", "damaged Y4M: a sample of frame 1 is 1024, above 1023"},
    {"cut_chroma", "truncated Y4M: frame 1 has 11 of 12 bytes"},
    {"cut_frame_header", "truncated Y4M: the file ends in a header"},
    {"cut_header", "truncated Y4M: the file ends in a header"},
    {"cut_luma", "truncated Y4M: frame 1 has 6 of 12 bytes"},
    {"cut_second", "truncated Y4M: frame 2 has 9 of 12 bytes"},
    {"cut_second_header", "truncated Y4M: the file ends in a header"},
    {"frame_word", "damaged Y4M: frame 1 does not begin with FRAME"},
    {"garbage_behind", "damaged Y4M: frame 2 does not begin with FRAME"},
    {"height_negative", "damaged Y4M: its height is not a number from 1 to 65535"},
    {"height_none", "damaged Y4M: its header names no width or no height"},
    {"height_word", "damaged Y4M: its height is not a number from 1 to 65535"},
    {"interlaced", "interlaced video: a filter would mix its two fields; deinterlace it (ffmpeg "
                   "-vf yadif), or call it progressive (ffmpeg -vf setfield=prog)"},
    {"large", "truncated Y4M: frame 1 has 12 of 6442319873 bytes"},
    {"layout_bits",
     "Y4M with the layout '420p11' is not read; convert it (ffmpeg -pix_fmt yuv444p)"},
    {"layout_mono",
     "Y4M with the layout 'mono8x' is not read; convert it (ffmpeg -pix_fmt yuv444p)"},
    {"layout_place",
     "Y4M with the layout '422jpeg' is not read; convert it (ffmpeg -pix_fmt yuv444p)"},
    {"layout_unknown",
     "Y4M with the layout '410' is not read; convert it (ffmpeg -pix_fmt yuv444p)"},
    {"long_frame_header", "damaged Y4M: a header of more than 2048 bytes"},
    {"long_header", "damaged Y4M: a header of more than 2048 bytes"},
    {"mixed", "interlaced video: a filter would mix its two fields; deinterlace it (ffmpeg "
              "-vf yadif), or call it progressive (ffmpeg -vf setfield=prog)"},
    {"no_frame", "truncated Y4M: it has no frame"},
    {"width_huge", "damaged Y4M: its width is not a number from 1 to 65535"},
    {"width_none", "damaged Y4M: its header names no width or no height"},
    {"width_zero", "damaged Y4M: its width is not a number from 1 to 65535"},
    {"zero_byte", "damaged Y4M: a zero byte in its header"},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Reads all pages. */
static bool read_pages(struct source *source, struct error *err)
{
    struct image image = {0};

    while (source_read_all(source, &image, err)) {
        image_free(&image);
        if (!source_has_more(source, source_info(source)->format))
            return true;
        if (!source_next(source, err))
            return false;
    }
    return false;
}

static void check_file(const struct hostile *hostile, const char *extension)
{
    struct source *source = NULL;
    struct error err = {.text = ""};
    char path[128];
    double start = seconds(), took;
    const char *text;
    bool refused;

    snprintf(path, sizeof path, FOLDER "%s.%s", hostile->name, extension);
    refused = !source_open_pages(&source, path, &err) || !read_pages(source, &err);
    took = seconds() - start;
    source_close(source);
    CHECKF(refused, "%s was read", path);
    CHECKF(took < 1.0, "%s took %.1f s", path, took);
    if (!refused)
        return;
    CHECK(err.code == EXIT_INPUT);
    CHECK(strncmp(err.text, path, strlen(path)) == 0);
    text = err.text + strlen(path);
    CHECKF(strncmp(text, ": ", 2) == 0 && strcmp(text + 2, hostile->sentence) == 0,
           "%s\n#     said:     %s\n#     expected: %s", path, text, hostile->sentence);
}

static void check_files(const struct hostile *hostile, size_t count, const char *extension)
{
    DIR *folder = opendir(FOLDER);
    struct dirent *entry;
    size_t i, length = strlen(extension);

    CHECK(folder != NULL);
    for (i = 0; i < count; i++)
        check_file(&hostile[i], extension);
    while (folder && (entry = readdir(folder)) != NULL) {
        size_t stem = strlen(entry->d_name);
        bool known = false;
        if (stem <= length + 1 || entry->d_name[stem - length - 1] != '.' ||
            strcmp(entry->d_name + stem - length, extension) != 0)
            continue;
        stem -= length + 1;
        for (i = 0; i < count; i++)
            known |= strlen(hostile[i].name) == stem &&
                     memcmp(hostile[i].name, entry->d_name, stem) == 0;
        CHECKF(known, "%s is not listed", entry->d_name);
    }
    if (folder)
        closedir(folder);
}

static void hostile_pngs_are_refused(void)
{
    check_files(png, sizeof png / sizeof *png, "png");
}

static void hostile_jpegs_are_refused(void)
{
    check_files(jpeg, sizeof jpeg / sizeof *jpeg, "jpg");
}

#ifdef HAVE_WEBP
static void hostile_webps_are_refused(void)
{
    static const struct hostile webp[] = {
        {"alpha_behind", "damaged WebP: the chunk at byte 72 is not valid, or out of place"},
        {"alpha_cut", "damaged WebP: the picture's data are not valid"},
        {"alpha_lost", "damaged WebP: its alpha is missing"},
        {"alpha_twice", "damaged WebP: the chunk at byte 44 is not valid, or out of place"},
        {"animated", "an animated WebP cannot be read; try: webpmux -get frame 1 "
                     "testdata/hostile/animated.webp -o - | stencilcli FILTER - OUTPUT"},
        {"canvas", "damaged WebP: its headers say 3 x 2 and 2 x 2 pixels"},
        {"chunk_head_cut", "truncated WebP: the file ends at byte 56"},
        {"chunk_name", "damaged WebP: the chunk at byte 52 is not valid, or out of place"},
        {"chunk_told", "damaged WebP: the chunk at byte 12 is not valid, or out of place"},
        {"cut", "truncated WebP: 49 of 52 bytes"},
        {"frames", "an animated WebP cannot be read; try: webpmux -get frame 1 "
                   "testdata/hostile/frames.webp -o - | stencilcli FILTER - OUTPUT"},
        {"lossless_codes", "damaged WebP: the picture's data are not valid"},
        {"lossless_cut", "damaged WebP: the picture's data are not valid"},
        {"lossless_head_cut", "damaged WebP: the chunk at byte 12 is not valid, or out of place"},
        {"lossless_mark", "damaged WebP: the chunk at byte 12 is not valid, or out of place"},
        {"lossless_sides", "damaged WebP: the picture's data are not valid"},
        {"lossless_version", "damaged WebP: the picture's data are not valid"},
        {"lossy_cut", "truncated WebP: the picture's data end early"},
        {"lossy_key", "damaged WebP: the chunk at byte 12 is not valid, or out of place"},
        {"lossy_mark", "damaged WebP: the chunk at byte 12 is not valid, or out of place"},
        {"lossy_no_width", "damaged WebP: the chunk at byte 12 is not valid, or out of place"},
        {"more_told", "truncated WebP: 52 of 72 bytes"},
        {"no_picture", "damaged WebP: it has no picture"},
        {"two_pictures", "damaged WebP: the chunk at byte 52 is not valid, or out of place"},
        {"vp8x_cut", "damaged WebP: the chunk at byte 12 is not valid, or out of place"},
        {"vp8x_second", "damaged WebP: the chunk at byte 52 is not valid, or out of place"},
    };

    check_files(webp, sizeof webp / sizeof *webp, "webp");
}
#endif

static void hostile_bmps_are_refused(void)
{
    check_files(bmp, sizeof bmp / sizeof *bmp, "bmp");
}

#ifdef HAVE_TIFF
static void hostile_tiffs_are_refused(void)
{
    check_files(tiff, sizeof tiff / sizeof *tiff, "tif");
}
#endif
static void hostile_tgas_are_refused(void)
{
    check_files(tga, sizeof tga / sizeof *tga, "tga");
}

static void hostile_gifs_are_refused(void)
{
    check_files(gif, sizeof gif / sizeof *gif, "gif");
}

static void hostile_psds_are_refused(void)
{
    check_files(psd, sizeof psd / sizeof *psd, "psd");
}

static void hostile_y4ms_are_refused(void)
{
    check_files(y4m, sizeof y4m / sizeof *y4m, "y4m");
}

int main(void)
{
    TEST(hostile_pngs_are_refused);
    TEST(hostile_jpegs_are_refused);
    TEST(hostile_bmps_are_refused);
#ifdef HAVE_WEBP
    TEST(hostile_webps_are_refused);
#endif
#ifdef HAVE_TIFF
    TEST(hostile_tiffs_are_refused);
#endif
    TEST(hostile_tgas_are_refused);
    TEST(hostile_gifs_are_refused);
    TEST(hostile_psds_are_refused);
    TEST(hostile_y4ms_are_refused);
    return test_finish();
}
