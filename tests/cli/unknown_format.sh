# An unknown extension is a usage error, before anything is read.
. "$CLI/lib"
refuses 2 out.xyz blur missing.png out.xyz
refuses 2 out blur missing.png out
refuses 2 out.tiff blur missing.png out.tiff
alone
