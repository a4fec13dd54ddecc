// Runs before the first paint: what must not jump.
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  for (const name of ["list", "reader"]) {
    const width = localStorage.getItem(`lito-width-${name}`);
    if (/^\d+(\.\d+)?px$/.test(width ?? "")) root.style.setProperty(`--${name}-width`, width);
  }
})();
