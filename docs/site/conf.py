"""The site of the documents: the pages of this repository and the reference of Python. Run by scripts/docs.sh.

Pages hold nothing that only Sphinx understands, so that they can be read where the code is hosted. What a site needs
besides is made here: the contents, from the lists of docs/README.md, and the links to the references by Doxygen.
"""
import importlib.util
import os
import pathlib
import re
import sys
import types
import unittest.mock
from importlib.machinery import SourceFileLoader

from sphinx.ext.autodoc.mock import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "sluice"
VERSION = re.search(r"(?m)^project\(\w+ VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#:]+)\)")
REFERENCES = """The pages: <a href="cpp/index.html">C++</a>, <a href="c/index.html">C</a>,
<a href="fortran/index.html">Fortran</a>, <a href="../site/python.html">Python</a>."""
MANUALS = """The same as <a href="manual/index.html">manual pages</a>.""" if os.environ.get("SLUICE_MANUALS") else ""

project = "Sluice"
version = release = VERSION
copyright = "2026, The Sluice authors"
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**", "studies/*/README.md"]
exclude_patterns = ["build", ".git"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 6
suppress_warnings = ["myst.header"]  # a page may leave out a level of headings
default_role = "literal"  # of `names` in comments of Python

html_theme = "furo"
html_title = f"Sluice {VERSION}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = ["index.html"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {  # the palette of the pictures
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    "dark_css_variables": {
        "color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9",
        # furo's own, which Debian 12 has for readers who press the button, not for those whose system is dark
        "color-foreground-primary": "#ffffffcc", "color-foreground-secondary": "#9ca0a5",
        "color-foreground-muted": "#81868d", "color-foreground-border": "#666666",
        "color-background-primary": "#131416", "color-background-secondary": "#1a1c1e",
        "color-background-hover": "#1e2124ff", "color-background-hover--transparent": "#1e212400",
        "color-background-border": "#303335", "color-background-item": "#444", "color-highlight-on-target": "#333300",
        "color-highlighted-background": "#083563", "color-api-keyword": "var(--color-foreground-secondary)",
        "color-admonition-background": "#18181a",
    },
}

autodoc_member_order = "bysource"
autodoc_mock_imports = ["mpi4py", "numpy"]
autodoc_type_aliases = {"LayoutLike": "LayoutLike"}


def load_stub(name):
    """A compiled module from its stub, which has the same names: nothing has to be compiled for the site."""
    loader = SourceFileLoader(f"sluice.{name}", str(PACKAGE / f"{name}.pyi"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


def load_package():
    """The package sluice as a program imports it, over stubs, and without what it imports itself."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(PACKAGE.parent))
    with mock(autodoc_mock_imports):
        # The stubs import what lies beside them; an empty package has to be there for it.
        sys.modules["sluice"] = types.ModuleType("sluice")
        sys.modules["sluice"].__path__ = [str(PACKAGE)]
        load_stub("_core").version = VERSION
        mpi = load_stub("_mpi")
        mpi.mpi_family, mpi.size_of_handles = "", lambda: unittest.mock.ANY  # as if built with the MPI of mpi4py
        del sys.modules["sluice"]
        importlib.import_module("sluice.mpi")


def listed_pages():
    """(title, pages) as docs/README.md lists them: by the words in bold that its paragraphs begin with."""
    folder, seen = ROOT / "docs", set()
    for part in re.split(r"(?m)^(?=\*\*)", (folder / "README.md").read_text(encoding="utf-8"))[1:]:
        pages = []
        for target in re.findall(r"\]\(([^)#:]+)\.md(?:#[^)]*)?\)", part):
            page = (folder / target).resolve().relative_to(ROOT).as_posix()
            if page.startswith("docs/") and page not in seen:
                seen.add(page)
                pages.append(page)
            if page == "docs/reference/interfaces":
                pages.append("docs/site/python")
        yield re.match(r"\*\*(.+?)\*\*", part)[1], pages


def contents():
    """What the bar beside each page shows."""
    studies = [path.relative_to(ROOT).with_suffix("").as_posix() for path in sorted(ROOT.glob("studies/*/README.md"))]
    appendices = [path.relative_to(ROOT).with_suffix("").as_posix() for path in sorted(ROOT.glob("docs/appendix/*.md"))]
    blocks = [*listed_pages(), ("Appendices", appendices), ("Studies", studies), ("Project", ["docs/README", "CHANGELOG", "CONTRIBUTING"])]
    return "".join("\n```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```\n" % (title, "\n".join("/" + page for page in pages))
                   for title, pages in blocks if pages)


def read_page(app, name, source):
    """Adds what only the site has, and takes links to folders away, which a site does not show."""
    folder = (ROOT / name).parent
    source[0] = LINK.sub(lambda link: link[1] if (folder / link[2]).is_dir() else link[0], source[0])
    if name == root_doc:
        source[0] += contents()
    if name == "docs/reference/interfaces":
        source[0] = source[0].replace("<!-- links -->", REFERENCES)
    if name == "docs/reference/command":
        source[0] = source[0].replace("<!-- manuals -->", MANUALS)


def join_script(app, exception):
    """Makes furo's script one file: Debian 12 has it as modules, which no page loads from a disk."""
    folder = pathlib.Path(app.outdir, "_static", "scripts")
    script, part = folder / "furo.js", folder / "gumshoe-patched.js"
    needs_part = 'import Gumshoe from "./gumshoe-patched.js";'
    text = script.read_text(encoding="utf-8")
    if text.startswith(needs_part):
        script.write_text(part.read_text(encoding="utf-8") + text.removeprefix(needs_part), encoding="utf-8")


def setup(app):
    load_package()
    app.connect("source-read", read_page)
    app.connect("build-finished", join_script)
