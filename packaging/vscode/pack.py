"""Packs the built extension as a .vsix: a zip whose bytes depend on its contents only.

    python3 packaging/vscode/pack.py FILE

By hand, because `@vscode/vsce` brings 119 packages and a newer node than Debian has. `vsce publish --packagePath FILE` takes it.
"""
import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIRST = (1980, 1, 1, 0, 0, 0)
SCHEMA = "http://schemas.microsoft.com/developer/vsx-schema"
TYPES = {"js": "application/javascript", "json": "application/json", "md": "text/markdown", "png": "image/png",
         "svg": "image/svg+xml", "txt": "text/plain", "vsixmanifest": "text/xml"}
ASSETS = {"Code.Manifest": "package.json", "Services.Content.Details": "readme.md",
          "Services.Content.License": "LICENSE.txt", "Services.Icons.Default": "icon.png"}


def files():
    """What is installed, by its path."""
    licenses = [(ROOT / name).read_text() for name in ("LICENSE-MIT", "LICENSE-APACHE")]
    out = {
        "LICENSE.txt": "\n\n".join(licenses).encode(),
        "icon.png": (ROOT / "web/public/icon-192.png").read_bytes(),
        "media/taffrail.svg": (HERE / "media/taffrail.svg").read_bytes(),
        "package.json": (HERE / "package.json").read_bytes(),
        "readme.md": (HERE / "README.md").read_bytes(),
    }
    scripts = {f"out/{it.name}": it.read_bytes() for it in (HERE / "out").glob("*.js")}
    if "out/extension.js" not in scripts:
        sys.exit("there is no out/extension.js: run npx tsc in packaging/vscode")
    return out | scripts


def manifest(package):
    """The description that editors and registries read."""
    properties = {"Engine": package["engines"]["vscode"], "ExtensionKind": ",".join(package["extensionKind"]),
                  "ExtensionDependencies": "", "ExtensionPack": "", "LocalizedLanguages": "", "ExecutesCode": "true"}
    named = "".join(f'<Property Id="Microsoft.VisualStudio.Code.{key}" Value="{escape(value)}"/>' for key, value in properties.items())
    source = f'<Property Id="Microsoft.VisualStudio.Services.Links.Source" Value="{escape(package["repository"]["url"])}.git"/>'
    assets = "".join(f'<Asset Type="Microsoft.VisualStudio.{kind}" Path="extension/{path}" Addressable="true"/>' for kind, path in ASSETS.items())
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="{SCHEMA}/2011" xmlns:d="{SCHEMA}-design/2011">
<Metadata>
<Identity Language="en-US" Id="{package["name"]}" Version="{package["version"]}" Publisher="{package["publisher"]}"/>
<DisplayName>{escape(package["displayName"])}</DisplayName>
<Description xml:space="preserve">{escape(package["description"])}</Description>
<Tags>{",".join(package["keywords"])}</Tags>
<Categories>{",".join(package["categories"])}</Categories>
<GalleryFlags>Public</GalleryFlags>
<Properties>{named}{source}</Properties>
<License>extension/LICENSE.txt</License>
<Icon>extension/icon.png</Icon>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>{assets}</Assets>
</PackageManifest>
"""


def content_types():
    """The media types that the zip must list."""
    each = "".join(f'<Default Extension=".{name}" ContentType="{kind}"/>' for name, kind in TYPES.items())
    return f'<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{each}</Types>\n'


def main(path):
    package = json.loads((HERE / "package.json").read_text())
    entries = {"extension.vsixmanifest": manifest(package).encode(), "[Content_Types].xml": content_types().encode()}
    entries |= {f"extension/{name}": data for name, data in sorted(files().items())}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            info = zipfile.ZipInfo(name, FIRST)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(info, data)
    print(f"{path}: {len(entries)} files, {pathlib.Path(path).stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
