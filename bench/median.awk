# The median of the numbers in a text; of an even number of them the lower one of the two in the middle.
function median(text,   v, i, j, k, t) {
  k = split(text, v, " ")
  for (i = 2; i <= k; ++i) for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
  return v[int((k + 1) / 2)] + 0
}
