# For Doxygen: the comment that stands right before `namespace` in a header is about the header, not about the
# namespace. Lines keep their numbers, as the empty line before the comment becomes a part of it.
function flush_held(i) {
  for (i = 0; i < held; i++) print lines[i]
  held = 0
}
/^\/\/\/( |$)/ { lines[held++] = $0; next }
/^$/ { flush_held(); lines[held++] = $0; next }
/^namespace / && held > 1 && lines[0] == "" { lines[0] = "/// @file" }
{ flush_held(); print }
END { flush_held() }
