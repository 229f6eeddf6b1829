#!/bin/sh
# must.sh TEXT COMMAND...: whether the command fails, prints "error: TEXT...", and does not go on.
text=$1
shift
if out=$("$@" 2>&1); then
  echo "ended well: $out"
  exit 1
fi
case $out in
  *"not ended"*) ;;
  *"error: $text"*) exit 0 ;;
esac
echo "$out"
exit 1
