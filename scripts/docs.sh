#!/usr/bin/env bash
# Makes a site of the documents and of what is written about each public name of C++, C, Fortran and Python.
#
#     scripts/docs.sh [-o DIR]     into DIR, build/docs unless given; begin with DIR/index.html
#     scripts/docs.sh --check      makes the site, fails for what is wrong with it, and keeps nothing
#
# Where build/release has the manual pages of the command, which are made of its help, they are part of the site.
#
# Exit status 1 for a warning of Sphinx or Doxygen, a link of the documents that leads nowhere, or a public name without
# a comment; and if sentences that are hard to read are more than scripts/hard_sentences.txt allows. Links to the network
# are not followed.
set -euo pipefail
usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; }
target=
keep=1
while [[ $# -gt 0 ]]; do
  case $1 in
    --check) keep=0; shift ;;
    -o)
      [[ $# -gt 1 && -n $2 ]] || { echo "error: -o: nothing, expected a folder" >&2; exit 2; }
      target=$(realpath -m -- "$2"); shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "error: $1: unknown option, expected --check or -o DIR" >&2; exit 2 ;;
  esac
done
if [[ $keep -eq 0 && -n $target ]]; then
  echo "error: -o: $target, expected none beside --check, which keeps nothing" >&2
  exit 2
fi
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
target=${target:-$PWD/build/docs}
if [[ $keep -eq 1 && -e $target && ! -e $target/objects.inv && -n $(ls -A "$target") ]]; then  # which Sphinx leaves in a site
  echo "error: $target: holds something else than such a site, expected a new or empty folder" >&2
  exit 1
fi

# Debian's Python, as its packages are for no other one.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
lacking=()
command -v doxygen >/dev/null || lacking+=("doxygen")
for module in sphinx myst_parser furo; do
  "$python" -c "import $module" 2>/dev/null || lacking+=("$module of $python")
done
if [[ ${#lacking[@]} -gt 0 ]]; then
  printf 'error: %s: not installed\n' "${lacking[@]}" >&2
  echo "run scripts/install-deps.sh --docs" >&2
  exit 1
fi

manuals=build/release/manuals/man1
if [[ ! -d $manuals ]]; then
  echo "documents: without manual pages, as there is no $manuals: scripts/build.sh makes it" >&2
elif ! command -v mandoc >/dev/null; then
  echo "error: mandoc: not installed; run scripts/install-deps.sh --docs" >&2
  exit 1
else
  export SLUICE_MANUALS=1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
failed=0

"$python" tests/docs/check_links.py || failed=1
"$python" scripts/hard_sentences.py || failed=1

# reference NAME TITLE SETTING...: Doxygen's pages of a language, as part of the site; its XML in $work/xml/NAME.
reference() {
  local name=$1 title=$2
  mkdir -p "$work/site/docs/reference" "$work/xml"
  # A way back among the entries on the left.
  doxygen -l "$work/layout.xml"
  sed -i 's#<navindex>#&<tab type="user" visible="yes" url="../interfaces.html" title="All documents"/>#' "$work/layout.xml"
  { cat docs/site/Doxyfile
    printf '%s\n' "PROJECT_BRIEF = \"$title\"" "OUTPUT_DIRECTORY = $work" "HTML_OUTPUT = site/docs/reference/$name" \
      "XML_OUTPUT = xml/$name" "LAYOUT_FILE = $work/layout.xml" "${@:3}"
  } | doxygen - || failed=1
}
# A comment right before a namespace is about its header.
of_header='FILTER_PATTERNS = *.hpp="awk -f docs/site/header_comment.awk"'
reference cpp C++ 'INPUT = include/sluice docs/site/cpp.dox' 'RECURSIVE = YES' 'FILE_PATTERNS = *.hpp' \
  'STRIP_FROM_PATH = include docs/site' 'STRIP_FROM_INC_PATH = include' "$of_header"
reference c C 'INPUT = include/sluice/sluice.h include/sluice/sluice_mpi.h docs/site/c.dox' 'OPTIMIZE_OUTPUT_FOR_C = YES' \
  'STRIP_FROM_PATH = include docs/site' 'STRIP_FROM_INC_PATH = include' 'PREDEFINED = MPI_VERSION'
reference fortran Fortran 'INPUT = drop-in/fortran/sluice.f90 docs/site/fortran.dox' 'OPTIMIZE_FOR_FORTRAN = YES' \
  'STRIP_FROM_PATH = drop-in/fortran docs/site'

"$python" scripts/undocumented.py "$work/xml" python/sluice || failed=1

"$python" -m sphinx -q -W --keep-going -j auto -c docs/site -d "$work/doctrees" . "$work/site" || failed=1

if [[ -n ${SLUICE_MANUALS-} ]]; then
  "$python" scripts/manual_pages.py "$manuals" "$work/site/docs/reference/manual" || failed=1
  grep -q 'href="manual/index.html"' "$work/site/docs/reference/command.html" ||
    { echo "docs/reference/command.md: no link to the manual pages" >&2; failed=1; }
fi

if [[ $failed -ne 0 ]]; then
  echo "documents: failed" >&2
  exit 1
fi
if [[ $keep -eq 1 ]]; then
  rm -rf "$target"
  mkdir -p "$(dirname "$target")"
  cp -r "$work/site" "$target"
  echo "documents: $target/index.html"
else
  echo "documents: in order"
fi
