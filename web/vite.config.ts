import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The built pages are kept in the daemon's crate, so that building the program needs no node.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../crates/server/web-dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
});
