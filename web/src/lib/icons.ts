// The one set of icons: outlines on a grid of 24, drawn by hand for these pages.

export const ICONS = {
  board: 'M4 4.5h4.5v15H4zM10 4.5h4.5v10H10zM16 4.5h4.5v6H16z',
  approvals: 'M12 3l7.5 2.6v5.6c0 4.6-3 7.7-7.5 9.8-4.5-2.1-7.5-5.2-7.5-9.8V5.6zM8.6 11.8l2.4 2.4 4.4-4.6',
  sessions: 'M9 6h11M9 12h11M9 18h11M4.2 6h.6M4.2 12h.6M4.2 18h.6',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.3 15.3L20.5 20.5',
  projects: 'M3.5 18.5v-12h6l2 2.5h9v9.5z',
  timeline: 'M4 6h9M8 12h12M4 18h5M13 18h7',
  usage: 'M4 20h16M7 16.5v-5M12 16.5v-10M17 16.5v-7',
  feed: 'M3 12h4l2.6-7 4.4 14 2.6-7H21',
  findings: 'M6 21V4h12.5l-2.6 4.2 2.6 4.3H6',
  health: 'M12 20C6 15.6 3.5 12.2 3.5 8.8A4.3 4.3 0 0 1 12 7.3a4.3 4.3 0 0 1 8.5 1.5c0 3.4-2.5 6.8-8.5 11.2z',
  settings: 'M4 8h8M18 8h2M15 5v6M4 16h2M12 16h8M9 13v6',
  more: 'M5 12h.6M11.7 12h.6M18.4 12h.6',
  star: 'M12 4l2.5 5.2 5.7.8-4.1 4 1 5.7L12 17l-5.1 2.7 1-5.7-4.1-4 5.7-.8z',
  download: 'M12 4v10.5M7.5 10.5l4.5 4.5 4.5-4.5M4.5 20h15',
  pencil: 'M4.5 19.5l1-4.5L16 4.5l3.5 3.5L9 18.5z',
  close: 'M6 6l12 12M18 6L6 18',
  keyboard: 'M3 7h18v10.5H3zM7 10.5h.6M11.7 10.5h.6M16.4 10.5h.6M8 14.2h8',
  compass: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM15.5 8.5l-2 5-5 2 2-5z',
  snooze: 'M12 5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM12 8.5v4.5l3 1.8M5 3.5L2.8 5.7M19 3.5l2.2 2.2',
  send: 'M4 11.5L20 4l-6 16.5-2.8-7z',
  left: 'M14.5 5.5L8 12l6.5 6.5',
  right: 'M9.5 5.5L16 12l-6.5 6.5',
} as const;

export type IconName = keyof typeof ICONS;
