# plain_comments.awk FILE -- shows Doxygen a header of ours, whose comments are
# plain, as it wants them: `//` above a declaration becomes `///`, and `//`
# behind one becomes `///<`.
#
# A comment is that of all declarations below it up to an empty line, so it is
# repeated for each of them.  Comments within function bodies stay as they are.

# Hides from Doxygen what is no markup here; in backticks all is literal.
function escaped(text,    parts, count, i, out) {
  count = split(text, parts, "`")
  out = ""
  for (i = 1; i <= count; ++i) {
    if (i % 2 == 1) {
      gsub(/\\/, "\\\\", parts[i])
      gsub(/[<>@#%]/, "\\\\&", parts[i])
    }
    out = out (i > 1 ? "`" : "") parts[i]
  }
  return out
}

# The text of a comment as a line of Doxygen's; three spaces make code of it.
function line_of(text) {
  if (text ~ /^   +[^ ]/) return "///    " text
  return "///" escaped(text)
}

function remember(line) {
  if (!in_comment) block[depth] = ""
  block[depth] = block[depth] line "\n"
  in_comment = 1
}

BEGIN { is_top = 1; depth = 0; block[0] = ""; print "/// @file" }

# A header for C has the comments of C, each of which ends a line.  They become
# `//`, and the block of extern "C" disappears.
FILENAME ~ /\/c\.h$/ {
  if ($0 ~ /extern "C"/) next
  if (in_c_comment) {
    sub(/^ *\*?/, "//")
  } else if (match($0, /\/\*/)) {
    in_c_comment = 1
    indented = $0 ~ /^ *\/\*/
    sub(/ *\/\*/, indented ? "//" : "  //")
  }
  if (in_c_comment && sub(/ *\*\/$/, "")) in_c_comment = 0
}

{
  indent = $0
  sub(/[^ ].*$/, "", indent)
}

# The essay atop a file.
is_top && /^\/\// { print line_of(substr($0, 3)); next }
is_top { is_top = 0 }

/^ *$/ { block[depth] = ""; in_comment = 0; trailing = -1; print; next }

# Nothing of a function's body is for the reference.
/^ *\/\// && in_body[depth] { print; next }

# Goes on with the comment behind the declaration above.
/^ *\/\// && trailing == length(indent) {
  print indent "///<" escaped(substr($0, length(indent) + 3))
  next
}

/^ *\/\// {
  line = indent line_of(substr($0, length(indent) + 3))
  remember(line)
  trailing = -1
  print line
  next
}

{
  code = $0
  trailing = -1
  if (match(code, /  \/\/ /) && code !~ /^ *}/ && code !~ /^#/) {
    note = substr(code, RSTART + 4)
    code = substr(code, 1, RSTART - 1)
    trailing = RSTART + 1
  }
  closes = code ~ /^ *}/
  if (closes && depth > 0) --depth
  begins = complete && !closes && code !~ /^ *(public|protected|private):/ &&
           code !~ /^#/ && code !~ /^ *namespace/
  if (begins && !in_comment && !in_body[depth] && trailing < 0) {
    printf "%s", block[depth]
  }
  if (trailing >= 0) {
    print code "  ///<" escaped(note)
  } else {
    print
  }
  complete = code ~ /[;}]$/
  in_comment = 0
  if (code ~ /{$/) {
    ++depth
    in_body[depth] = code !~ /(^| )(struct|class|enum|namespace|union) /
    block[depth] = ""
    complete = 0
  }
}
