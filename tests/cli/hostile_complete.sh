# No damaged file is forgotten: every one of testdata/hostile has an extension that a test walks.
for path in "$TESTDATA"/hostile/*; do
    case $path in
    *.png | *.jpg | *.jpeg | *.bmp | *.pbm | *.pgm | *.ppm | *.pnm | *.pam | *.txt) ;;
    *README*) ;;
    *) echo "${path##*/}" ;;
    esac
done
