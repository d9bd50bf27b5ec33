// ---- copy --------------------------------------------------------------------------------------------------

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const text = byId(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {  // not allowed here: select it, so that Ctrl+C does
      getSelection().selectAllChildren(text);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}
document.body.dataset.state = "ready";
