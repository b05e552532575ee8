// Whether the screen is a phone's.
const small = matchMedia('(max-width: 700px)');
let is = $state(small.matches);
small.addEventListener('change', () => (is = small.matches));

export const isSmall = (): boolean => is;
