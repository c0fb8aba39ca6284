/* The rows of the command table: see cli/option_table.h. The filters are one row; their
 * names and ideas are filter_table()'s. What runs a command is in cli/main.c. */
#include "cli/option_table.h"

#include <string.h>

static const struct command_spec commands[COMMAND_COUNT] = {
    {.id = COMMAND_FILTER,
     .operands = "INPUT OUTPUT",
     .doc = "filter an image, or every image below a folder",
     .min_operands = 2,
     .max_operands = 2,
     .complete = COMPLETE_FILE},
    {.id = COMMAND_MASK,
     .name = "mask",
     .operands = "MASK | --sigma S",
     .doc = "print a mask in the file format",
     .more =
         "Comment lines after the rows give its sum, rank, symmetry and bounds. What is printed "
         "is a mask file again.",
     .max_operands = 1,
     .complete = COMPLETE_MASK},
    {.id = COMMAND_SIGNAL,
     .name = "signal",
     .operands = "INPUT OUTPUT",
     .doc = "filter samples: numbers in a text, or an audio file",
     .more =
         "The mask is one row or one column. What is outside the signal is zero unless --border "
         "says otherwise. See SIGNALS.",
     .min_operands = 2,
     .max_operands = 2,
     .complete = COMPLETE_FILE},
    {.id = COMMAND_REUSE,
     .name = "reuse",
     .operands = "[IMAGE]",
     .doc = "how often tiled convolution loads and uses each cell",
     .more = "The analysis of the textbook's chapter as tables, for masks and output tiles of any "
             "width: loads with and without tiling, for internal and boundary tiles; uses of each "
             "cell of a tile; thread blocks and shared memory. With --size or an IMAGE also for "
             "the whole array or picture. Nothing is filtered.",
     .max_operands = 1,
     .complete = COMPLETE_FILE},
    {.id = COMMAND_BENCH,
     .name = "bench",
     .operands = "[IMAGE]",
     .doc = "time every kernel, on your image or on one of its own",
     .more = "Every kernel is first compared with the reference. Times are those of the kernel "
             "alone, beside the time of a copy of as many bytes and of the device's fastest "
             "multiply-adds, measured in the same run. Without --alpha it counts as one more "
             "channel. See BENCH.",
     .max_operands = 1,
     .complete = COMPLETE_FILE},
    {.id = COMMAND_COMPARE,
     .name = "compare",
     .operands = "A B",
     .doc = "compare two pictures, or two folders of them",
     .more = "Exactly, unless a limit is given; then every limit given must hold. Pictures that "
             "differ in size, channels or depth are different in any case. The exit status is 0 or "
             "4. See COMPARING.",
     .min_operands = 2,
     .max_operands = 2,
     .complete = COMPLETE_FILE},
    {.id = COMMAND_GOLDEN,
     .name = "golden",
     .operands = "record|check SUITE",
     .doc = "pictures that must not change, of any program",
     .more = "check runs the commands of a suite and compares what they write with checksums; "
             "record writes the checksums. See GOLDEN.",
     .min_operands = 2,
     .max_operands = 2,
     .complete = COMPLETE_FILE},
    {.id = COMMAND_LIST,
     .name = "list",
     .operands = "filters|kernels|methods|masks|devices",
     .doc = "list what there is",
     .more = "One line each, the name first. With kernels, the line says whether this machine can "
             "run it; with masks, the size and the first comment line of the file.",
     .min_operands = 1,
     .max_operands = 1,
     .complete = COMPLETE_WORDS,
     .words = list_word},
};

const struct command_spec *command_table(void)
{
    return commands;
}

const struct command_spec *command_find(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (commands[i].name && strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return filter_find(name) ? &commands[COMMAND_FILTER] : NULL;
}

const char *command_name(const struct command_spec *command, int index)
{
    if (command->name)
        return index == 0 ? command->name : NULL;
    int count;
    const struct filter *filters = filter_table(&count);
    return index < count ? filters[index].name : NULL;
}
