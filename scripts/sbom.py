"""Used by scripts/package: what is in the packages, as SPDX 2.3.

Each package is named with its checksum, each library in it or below it with version, supplier and
licence. dpkg knows these; on a system without dpkg they stay unknown.
"""
import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import urllib.parse
import uuid

# Words of Debian's copyright files, and of SPDX.
LICENSES = {"Zlib": "Zlib", "BSD-3-clause": "BSD-3-Clause", "Expat": "MIT", "MIT": "MIT",
            "GPL-2+": "GPL-2.0-or-later", "GPL-3+": "GPL-3.0-or-later",
            "LGPL-2.1+": "LGPL-2.1-or-later", "LGPL-3+": "LGPL-3.0-or-later",
            "or": "OR", "and": "AND"}
UNKNOWN = "NOASSERTION"


def dpkg(*command):
    """The output of a command of dpkg, or nothing."""
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, text=True, capture_output=True).stdout.strip()


def owner(pattern):
    """The Debian package of a file: its name, or else that of the file."""
    found = dpkg("dpkg-query", "--search", str(pattern))
    return found.split(":")[0] if found else pathlib.Path(pattern).name


def license_of(package):
    """The licence of most files of a Debian package, as dpkg's copyright file names it."""
    path = pathlib.Path("/usr/share/doc", package, "copyright")
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    found = re.search(r"^Files: \*\n(?:(?!\n\n)(?:.|\n))*?^License: *(\S.*)", text, re.MULTILINE)
    return found[1] if found else ""


def describe_library(package):
    fields = dpkg("dpkg-query", "--show", "--showformat",
                  "${Version}\t${Architecture}\t${Homepage}\n", package)
    version, machine, home = (fields.splitlines() or ["\t\t"])[0].split("\t")
    system, name = release("ID"), release("NAME")
    words = license_of(package)
    described = {
        "SPDXID": identifier(package), "name": package, "versionInfo": version or UNKNOWN,
        "supplier": f"Organization: {name}" if version else UNKNOWN,
        "downloadLocation": UNKNOWN, "filesAnalyzed": False,
        "licenseConcluded": UNKNOWN, "copyrightText": UNKNOWN,
        "licenseDeclared": " ".join(LICENSES.get(word, UNKNOWN) for word in words.split())}
    if UNKNOWN in described["licenseDeclared"] or not words:
        described["licenseDeclared"] = UNKNOWN
        described["licenseComments"] = words or f"see the copyright file of {package}"
    if home:
        described["homepage"] = home
    if version:
        described["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/{system}/{package}@"
                                f"{urllib.parse.quote(version, safe=':~')}?arch={machine}"}]
    return described


def release(key):
    """Of this system: ID or NAME."""
    path = pathlib.Path("/etc/os-release")
    found = path.exists() and re.search(rf'^{key}="?([^"\n]+)', path.read_text(encoding="utf-8"),
                                        re.MULTILINE)
    return found[1] if found else ""


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def describe_file(path, version):
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"SPDXID": identifier(path.name), "name": path.name, "versionInfo": version,
            "packageFileName": path.name, "supplier": "Organization: the stencilcli developers",
            "downloadLocation": UNKNOWN, "filesAnalyzed": False, "licenseConcluded": UNKNOWN,
            "licenseDeclared": "MIT", "copyrightText": "2026 the stencilcli developers",
            "checksums": [{"algorithm": "SHA256", "checksumValue": checksum}]}


def text(version, epoch, files):
    """FILES: for each path the pairs (relationship, Debian package) of its libraries."""
    packages = [describe_file(path, version) for path in sorted(files)]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", package["SPDXID"]) for package in packages]
    libraries = sorted({package for pairs in files.values() for _, package in pairs})
    packages += map(describe_library, libraries)
    for path, pairs in sorted(files.items()):
        relations += [(identifier(path.name), kind, identifier(package))
                      for kind, package in sorted(set(pairs))]
    content = json.dumps([packages, relations])
    moment = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"stencilcli-{version}",
        "documentNamespace": uuid.uuid5(uuid.NAMESPACE_OID, content).urn,
        "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: scripts/package"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind,
                           "relatedSpdxElement": other} for one, kind, other in relations]},
        indent=1) + "\n"
