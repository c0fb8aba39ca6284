"""report_alone.py KIND TEXT: checks that standard input is one whole xml, html or png, and that the
file `said` holds TEXT."""
import sys
import xml.etree.ElementTree as tree
kind, data, said = sys.argv[1], sys.stdin.buffer.read(), open("said").read()
if kind == "xml":
    tree.fromstring(data)
good = {"xml": data.startswith(b"<?xml") and data.endswith(b"</testsuite>\n"),
        "html": data.startswith(b"<!DOCTYPE html>") and data.endswith(b"</html>\n"),
        "png": data.startswith(b"\x89PNG") and data[-8:-4] == b"IEND"}[kind]
print(kind, "whole:", good, "said:", sys.argv[2] in said)
