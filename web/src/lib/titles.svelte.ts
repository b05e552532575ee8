// The titles of sessions that were opened, by the word in the address, for the title of the tab.
import { SvelteMap } from 'svelte/reactivity';

export const titles = new SvelteMap<string, string>();
