# Every file of testdata/hostile has an extension that one of the tests covers.
for path in "$TESTDATA"/hostile/*; do
    case $path in
    *.png | *.jpg | *.jpeg | *.webp | *.tif | *.bmp | *.tga | *.gif | *.psd | *.txt) ;;
    *.y4m | *.pbm | *.pgm | *.ppm | *.pnm | *.pam) ;;
    *README*) ;;
    *) echo "${path##*/}" ;;
    esac
done
