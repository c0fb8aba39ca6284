# Which files are chosen, and the names of their outputs.
. "$CLI/lib"
mkdir -p in/raw in/web/old outside
for name in a.pgm raw/b.pgm raw/c.dat web/d.pgm web/old/e.pgm web/old/.hidden.pgm; do
    cp "$TESTDATA/textbook.pgm" in/$name
done
cp "$TESTDATA/textbook.pgm" outside/far.pgm
taken() {
    echo "$*"
    rm -rf out
    stencilcli blur in out "$@" 2>messages || echo "exit $?"
    grep -v -e 'of work on' -e '[0-9] files*:' messages || :
    (cd out && find . -name '.stencilcli*' -prune -o -type f -print | LC_ALL=C sort)
}
taken
taken --include '*.dat' --format pgm
taken --include 'web/*.pgm'
taken --include 'web/**'
taken --include '**/old/*'
taken --include raw/ --include /web/old/
taken --include 'we?/' --exclude old/
taken --include 'a*' --include '[d-f]*'
taken --exclude old --exclude a.pgm
taken --exclude old/ --exclude /raw/
taken --include '*.pgm' --exclude 'raw/*'
taken --ext ppm
taken --ext .ppm --include 'a*'
taken --include '*.dat' --ext ppm
# Symlinks within the folder are treated as files and folders; symlinks that lead out are followed
# only on request; loops end; a dangling symlink is a failure.
ln -s web/old in/inside
ln -s ../a.pgm in/raw/link.pgm
ln -s .. in/web/loop
ln -s ../outside in/far
ln -s ../outside/far.pgm in/far.pgm
ln -s nowhere in/nothing.pgm
taken
taken --follow --exclude nothing.pgm
rm in/nothing.pgm
# A pipe is not a picture, and no process waits for it.
mkfifo in/pipe.pgm
taken --include 'pipe*'
