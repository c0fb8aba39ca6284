# Rows are streamed: two pictures of 90 MB each are compared in a few MB.
. "$CLI/lib"
for name in a b; do
    printf 'P6 3000 10000 255\n' >$name.ppm
    truncate -s $((18 + 3000 * 10000 * 3)) $name.ppm
done
printf x | dd of=b.ppm bs=1 seek=89000000 conv=notrunc 2>dd.log
python3 - <<'END'
import os, resource, subprocess
done = subprocess.run([os.environ["STENCILCLI"], "compare", "a.ppm", "b.ppm", "-t", "2"],
                      capture_output=True, text=True)
print(done.returncode, done.stdout.splitlines()[0])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if peak > 40 * 1024:
    print("peak memory:", peak, "KiB")
END
