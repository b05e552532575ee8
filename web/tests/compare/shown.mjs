// Figures as people read them: what stands on a screen is rounded, so the truth is rounded before it is looked for.

/** As Taffrail's pages do: 950, 12k, 1.2M. */
export function count(value) {
  if (value < 1000) return String(value);
  if (value < 10_000) return `${(value / 1000).toFixed(1)}k`;
  if (value < 1_000_000) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(value < 10_000_000 ? 1 : 0)}M`;
}

export const dollars = (value) => `$${value.toFixed(2)}`;

/** Minutes and seconds, as both write them. */
export const lasting = (seconds) => (seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`);
