// Before anything is drawn: what was chosen here for the look, the density and the motion of the pages.
try {
  [['look', ['light', 'dark']], ['density', ['compact']], ['motion', ['reduced']]].forEach(function (it) {
    var chosen = localStorage.getItem(it[0]);
    if (it[1].indexOf(chosen) >= 0) document.documentElement.dataset[it[0]] = chosen;
  });
} catch (_) { /* Without a memory the system's look is used. */ }
