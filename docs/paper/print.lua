-- On paper, a link to another page of the repository is its text alone.
function Link(link)
  if not link.target:match("^https?://") then
    return link.content
  end
end
