# An unknown extension is a usage error, before anything is read.
. "$CLI/lib"
refuses 2 out.xyz blur "$TESTDATA/photo.png" out.xyz
refuses 2 out blur "$TESTDATA/photo.png" out
alone
