// Texts that would run or load something if any page made anything but text of them.
const EVIL = 'http://evil.example';

const BASE = [
  (n) => `<script>window.__hit=${n}</script>`, (n) => `<img src=x onerror="window.__hit=${n}">`, (n) => `<img src="${EVIL}/${n}.png">`,
  (n) => `<svg onload="window.__hit=${n}"></svg>`, (n) => `<svg><script>window.__hit=${n}</script></svg>`, (n) => `<svg><a xlink:href="javascript:window.__hit=${n}"><text>x</text></a></svg>`,
  (n) => `<svg><image href="${EVIL}/${n}.svg"/></svg>`, (n) => `<svg><use href="${EVIL}/${n}.svg#x"/></svg>`, (n) => `<svg><animate onbegin="window.__hit=${n}" attributeName=x dur=1s>`,
  (n) => `<iframe src="javascript:parent.__hit=${n}"></iframe>`, (n) => `<iframe srcdoc="<script>parent.__hit=${n}</script>"></iframe>`, (n) => `<iframe src="${EVIL}/${n}"></iframe>`,
  (n) => `<a href="javascript:window.__hit=${n}">x</a>`, (n) => `[x](javascript:window.__hit=${n})`, (n) => `[x](JaVaScRiPt:window.__hit=${n})`, (n) => `[x](java\tscript:window.__hit=${n})`,
  (n) => `[x](data:text/html,<script>window.__hit=${n}</script>)`, (n) => `[x](vbscript:${n})`, (n) => `[x](file:///etc/passwd?${n})`, (n) => `![x](${EVIL}/${n}.png)`,
  (n) => `![x](javascript:window.__hit=${n})`, (n) => `[![x](${EVIL}/${n}.gif)](${EVIL}/${n})`, (n) => `<${EVIL}/${n}>`, (n) => `[x]: ${EVIL}/${n} "t"\n![y][x]`,
  (n) => `</title><script>window.__hit=${n}</script>`, (n) => `"><script>window.__hit=${n}</script>`, (n) => `' onmouseover='window.__hit=${n}`, (n) => `" autofocus onfocus="window.__hit=${n}`,
  (n) => `<style>@import url("${EVIL}/${n}.css")</style>`, (n) => `<link rel=stylesheet href="${EVIL}/${n}.css">`, (n) => `<link rel=prefetch href="${EVIL}/${n}">`, (n) => `<link rel="dns-prefetch" href="//evil.example">`,
  (n) => `<meta http-equiv=refresh content="0;url=${EVIL}/${n}">`, (n) => `<base href="${EVIL}/${n}/">`, (n) => `<form action="${EVIL}/${n}"><button autofocus>x`, (n) => `<object data="${EVIL}/${n}">`,
  (n) => `<embed src="${EVIL}/${n}">`, (n) => `<video src="${EVIL}/${n}" autoplay onerror="window.__hit=${n}">`, (n) => `<audio src="${EVIL}/${n}" autoplay>`, (n) => `<input onfocus="window.__hit=${n}" autofocus>`,
  (n) => `<details open ontoggle="window.__hit=${n}">x</details>`, (n) => `<body onload="window.__hit=${n}">`, (n) => `<math><mtext></form><form><mglyph><style></math><img src=x onerror="window.__hit=${n}">`,
  (n) => `<template><script>window.__hit=${n}</script></template>`, (n) => `{{constructor.constructor('window.__hit=${n}')()}}`, (n) => `\${window.__hit=${n}}`, (n) => `{@html '<img src=x onerror=window.__hit=${n}>'}`,
  (n) => `{#if (window.__hit=${n})}{/if}`, (n) => `<x onclick="window.__hit=${n}" style="position:fixed;inset:0">x</x>`, (n) => `<div style="background:url(${EVIL}/${n})">x</div>`,
  (n) => '```html\n<script>window.__hit=' + n + '</script>\n```', (n) => `| a | b |\n|--|--|\n| <img src=x onerror=window.__hit=${n}> | ![x](${EVIL}/${n}) |`,
  (n) => `\u202E<script>window.__hit=${n}</script>\u202C`, (n) => `safe\u2066.exe\u2069<img src=x onerror=window.__hit=${n}>`, (n) => `\u0000\u001b]8;;${EVIL}/${n}\u0007x\u001b]8;;\u0007`, (n) => `[\u202Egnp.x](${EVIL}/${n})`,
];
const TURNS = [
  (it) => it, (it) => it.replaceAll('<', '&lt;').replaceAll('>', '&gt;'), (it) => it.toUpperCase().replaceAll('__HIT', '__hit').replaceAll('WINDOW', 'window'),
  (it) => it.replaceAll('<', '<\n'), (it) => `**${it}**`, (it) => `# ${it}\n- ${it}`, (it) => `\`${it}`,
];

export const payloads = TURNS.flatMap((turn, outer) => BASE.map((make, inner) => turn(make(outer * 1000 + inner + 1))));
