// One clock for all relative times.
let now = $state(Date.now());
setInterval(() => { now = Date.now(); }, 1000);

export const clock = { get now() { return now; } };
