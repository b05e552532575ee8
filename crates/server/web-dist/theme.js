// Before anything is drawn: the look that was chosen here, if one was.
try {
  var look = localStorage.getItem('look');
  if (look === 'light' || look === 'dark') document.documentElement.dataset.look = look;
} catch (_) { /* Without a memory the system's look is used. */ }
