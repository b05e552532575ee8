"""The bill of materials in CycloneDX 1.6: crates of every target, and the npm packages of the web pages."""
import json
import re
import time
import uuid

import crates
import pages
import release


def document(it):
    """The document as bytes, the same for every target of a release."""
    ours = f"pkg:cargo/{release.NAME}@{it.version}"
    linked, web = crates.linked(it.root), pages.bundled(it.root)
    parts = [component(crate, "SHA-256", crate.checksum) for crate in linked]
    needs = {crate.purl: set(crate.needs) for crate in linked}
    needs |= {package.purl: set(package.needs) for package in web}
    # The pages are in the crate that serves them.
    server = next(purl for purl in needs if purl.startswith("pkg:cargo/taffrail-server@"))
    needs[server] |= {package.purl for package in web}
    parts += [component(package, "SHA-512", package.sha512) for package in web]
    program = next(part for part in parts if part["bom-ref"] == ours)
    out = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{release.HOMEPAGE}/{it.version}/{it.epoch}')}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", it.date),
            "component": {**program, "type": "application", "description": release.SUMMARY},
        },
        "components": [part for part in parts if part is not program],
        "dependencies": [{"ref": purl, "dependsOn": sorted(of)} for purl, of in sorted(needs.items())],
    }
    return (json.dumps(out, indent=1) + "\n").encode()


def component(package, algorithm, digest):
    """One crate or npm package. Our own crates have no checksum."""
    group, _, name = package.name.rpartition("/")
    out = {"type": "library", "bom-ref": package.purl, "name": name, "version": package.version, "purl": package.purl}
    if group:
        out["group"] = group
    if re.search(r"\s", package.license):
        out["licenses"] = [{"expression": package.license}]
    else:
        out["licenses"] = [{"license": {"id": package.license}}]
    if digest:
        out["hashes"] = [{"alg": algorithm, "content": digest}]
    return out
