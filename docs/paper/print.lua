-- On paper, a link to another file of the repository is its text, with the path of the file.
function Link(link)
  local target = link.target
  if target:match("^https?://") or target:match("^#") then
    return nil
  end
  local path = target:gsub("#.*$", "")
  path = path:match("^%.%./") and path:gsub("^%.%./", "docs/") or "docs/paper/" .. path
  local inlines = link.content:clone()
  inlines:extend({ pandoc.Str(" ("), pandoc.Code(path), pandoc.Str(")") })
  return inlines
end
