// expect: stopped
// A file without a kernel.

int main()
{
    return 0;
}
