# Samples that are not numbers are named with line and column, and no file is written.
. "$CLI/lib"
bad() {
    printf "$1" >in.txt
    try signal in.txt never.txt --mask '1 2 1'
}
bad '1 2\n3 abc 4\n'
bad '1 2\n\t0x10'
bad '1,2,,3'
bad '\n ,1'
bad '1 nan'
bad '1/0'
bad '1;2'
bad '1e65'
bad '1\n2 11111111111111111111111111111111111111111111111111111111111111111\n'
bad '\377\376\n'
bad ''
bad '# nothing\n'
printf '1\0002' >in.txt
try signal in.txt never.txt --mask 1
try signal missing.txt never.txt --mask 1
echo 1 2 3 >in.txt
try signal in.txt never.txt
try signal in.txt never.txt --mask gauss5
try signal in.txt never.txt --mask '1 2 1' --sigma 1
try signal in.txt never.txt --mask '1 2 1' --anchor 3,0
try signal in.txt never.txt --mask '1 2 1' --divisor 0
try signal in.txt never.txt --mask '1 2 1' --offset 50%
try signal in.txt never.txt --mask '1 2 1' --border constant:50%
try signal in.txt never.txt --mask '1 2 1' --decimals -1
try signal in.txt never.txt --mask '1 2 1' --tile 48
try signal in.txt never.txt --mask '1 2 1' --kernel scalar --device cuda
try signal in.txt never.mp3 --mask '1 2 1'
try signal in.txt nowhere/never.txt --mask '1 2 1'
try signal - never.txt --mask -
try signal in.txt
try signal in.txt never.txt --alpha ignore
refuses 2 readonly signal in.txt never.txt --mask 1 --kernel readonly
refuses 3 cuda:999 signal in.txt never.txt --mask 1 --device cuda:999
alone in.txt
