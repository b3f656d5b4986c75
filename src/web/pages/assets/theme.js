// Before anything is painted: the colours that this reader has chosen, else those of the system.
try {
  document.documentElement.dataset.theme = localStorage.getItem('theme') ?? '';
} catch {
  // A browser that keeps nothing shows the colours of the system.
}
