# Rows are streamed: two pictures of 90 MB each are compared in a few MB.
. "$CLI/lib"
for name in a b; do
    printf 'P6 1 1 255\nxyz' >small_$name.ppm
    printf 'P6 3000 10000 255\n' >$name.ppm
    truncate -s $((18 + 3000 * 10000 * 3)) $name.ppm
done
printf x | dd of=b.ppm bs=1 seek=89000000 conv=notrunc 2>dd.log
# Relative to the memory for one pixel, which is larger in builds with a sanitizer.
python3 - <<'END'
import os, resource, subprocess


def peak(*pictures):
    """What `compare` prints, and the largest memory of a process so far in KiB."""
    done = subprocess.run([os.environ["STENCILCLI"], "compare", *pictures, "-t", "2"],
                          capture_output=True, text=True)
    return done, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


_, small = peak("small_a.ppm", "small_b.ppm")
done, large = peak("a.ppm", "b.ppm")
print(done.returncode, done.stdout.splitlines()[0])
if large - small > 24 * 1024:
    print("peak memory:", large, "KiB; for one pixel:", small, "KiB")
END
