// The part of a session that is read: a window around a place, longer above and below as the reader goes on, and never more
// than a bounded number of events. Places are numbered by the daemon, from 1 and without gaps.
import { filtered, folded, isEvent, isShown, type Item, type Shown, type Told } from './transcript';
import type { Event, EventLine } from './types';

/** Where a window is. Without a place it is the end. */
export type Place = { turn?: number; event?: string; time?: string; before?: number; after?: number };
export type Window = { total: number; turns: number; anchor: string | null; events: Told[] };
type Ask = (place: Place, limit: number) => Promise<Window>;
export type Side = 'above' | 'below';

/** So many events are asked for around a place, and above or below what is there. */
const AROUND = 160;
const MORE = 240;
/** So many while only some of them are shown, and so many times until enough of those are there. */
const MANY = 500;
const ENOUGH = 20;
const ROUNDS = 24;
/** So many are kept. */
const MOST = 1600;
/** What came over the websocket is asked for again so long after, in milliseconds: only the daemon numbers turns. */
const SETTLES = 1200;

export class Passage {
  /** The entries that are shown. */
  items = $state.raw<Item[]>([]);
  total = $state(0);
  turns = $state(0);
  above = $state(false);
  below = $state(false);
  /** More is being asked for. */
  busy = $state(false);
  /** Which window it is: another one after each jump. */
  version = $state(0);
  private events: Told[] = [];
  /** The places of the first event and of the last one that the daemon has numbered. */
  private first = 0;
  private last = 0;
  private shown: Shown = 'all';
  private round = 0;
  private growing: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private drawing = 0;

  constructor(private readonly ask: Ask) {}

  /** Replaces what is there by the window around a place; gives the event that is meant. */
  async open(place: Place, shown: Shown = 'all'): Promise<string | null> {
    const round = (this.round += 1);
    clearTimeout(this.timer);
    const it = await this.ask(place, AROUND);
    if (round !== this.round) return null;
    this.shown = shown;
    this.counted(it);
    this.keep(it.events);
    this.first = it.events[0]?.sequence ?? 0;
    this.last = it.events.at(-1)?.sequence ?? 0;
    this.ends();
    this.draw();
    this.version += 1;
    return it.anchor;
  }

  /** The place of an entry that is there. */
  placeOf(id: string): number | undefined {
    return this.events.find((it) => it.id === id)?.sequence;
  }

  /** Longer at the top or at the end. */
  async grow(side: Side): Promise<void> {
    if (this.growing || !this[side]) return this.growing;
    this.busy = true;
    this.growing = this.more(side, this.round);
    try {
      await this.growing;
    } finally {
      this.growing = undefined;
      this.busy = false;
    }
  }

  private async more(side: Side, round: number): Promise<void> {
    const all = this.shown === 'all';
    for (let [times, had] = [0, this.items.length]; times < (all ? 1 : ROUNDS) && this[side] && this.items.length < had + ENOUGH; times += 1) {
      const it = await this.ask(side === 'above' ? { before: this.first } : { after: this.last }, all ? MORE : MANY);
      if (round !== this.round) return;
      this.counted(it);
      const known = new Set(this.events.map((event) => event.id));
      const more = it.events.filter((event) => !known.has(event.id));
      if (side === 'above') this.first = it.events[0]?.sequence ?? 1;
      else this.last = it.events.at(-1)?.sequence ?? it.total;
      this.keep(side === 'above' ? [...more, ...this.events] : [...this.events, ...more]);
      this.ends();
      this.draw();
    }
    this.shorten(side === 'above' ? 'below' : 'above', round);
  }

  /** Leaves out what is far from the reader, in a drawing of its own: rows above and below never change at once. */
  private shorten(side: Side, round: number) {
    if (this.events.length <= MOST) return;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (round !== this.round || this.events.length <= MOST) return;
      this.events = side === 'above' ? this.events.slice(-MOST) : this.events.slice(0, MOST);
      if (side === 'above') this.first = this.events[0]?.sequence ?? this.first;
      else this.last = this.events.at(-1)?.sequence ?? this.last;
      this.ends();
      this.draw();
    }));
  }

  /** An event came over the websocket. Who reads the end sees it at once. */
  take(line: EventLine) {
    if (!this.version || (isEvent(line) && !isShown(line.kind))) return;
    const at = this.events.findIndex((it) => it.id === line.id);
    if (!isEvent(line)) {
      if (at >= 0) this.events = this.events.toSpliced(at, 1);
    } else if (at >= 0) {
      const had = this.events[at] as Told;
      this.events = this.events.with(at, { ...whole(line), sequence: had.sequence, turn: had.turn });
    } else if (!this.below) {
      const last = this.events.at(-1);
      const begins = line.kind === 'user.prompt' && !this.events.some((it) => it.id === line.turnId);
      if (begins) this.turns += 1;
      this.total += 1;
      this.keep([...this.events, { ...whole(line), sequence: Math.max(this.last, last?.sequence ?? 0) + 1, turn: begins ? this.turns : (last?.turn ?? this.turns) }]);
      this.shorten('above', this.round);
    } else {
      this.total += 1;
    }
    this.drawSoon();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.settle().catch(() => {}), SETTLES);
  }

  /** The end as the daemon has it: what was missed, and the numbers of what came. */
  async settle(): Promise<void> {
    const round = this.round;
    for (let more = this.version > 0 && !this.below; more; ) {
      const edge = this.last;
      const it = await this.ask({ after: edge }, MANY);
      if (round !== this.round || edge !== this.last || this.below) return;
      this.counted(it);
      more = it.events.length >= MANY;
      const fresh = new Set(it.events.map((event) => event.id));
      this.keep([...this.events.filter((event) => event.sequence <= edge && !fresh.has(event.id)), ...it.events]);
      this.last = it.events.at(-1)?.sequence ?? edge;
      this.draw();
    }
    this.shorten('above', round);
  }

  /** The whole of an event that was cut. */
  fill(event: Event) {
    const at = this.events.findIndex((it) => it.id === event.id);
    const had = this.events[at];
    if (!had) return;
    // What the daemon concluded from the whole record stays, such as a failure by its exit code.
    const data: Told['data'] = { ...had.data, ...event.data };
    if (!event.data.truncated) delete data.full_bytes;
    this.events = this.events.with(at, { ...had, ...whole(event), data, cut: false });
    this.draw();
  }

  end() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.drawing);
    this.round += 1;
  }

  private counted(it: Window) {
    this.total = it.total;
    this.turns = it.turns;
  }
  private ends() {
    this.above = this.first > 1;
    this.below = this.last < this.total;
  }
  /** Where only some entries are shown, only their events are kept. */
  private keep(events: Told[]) {
    if (this.shown === 'all') { this.events = events; return; }
    const fits = new Set(filtered(folded(events), this.shown).flatMap((it) => [it.event.id, ...(it.kind === 'call' && it.result ? [it.result.id] : [])]));
    // A call without a result may still fail.
    const late = Math.max(0, events.length - 40);
    this.events = events.filter((it, at) => fits.has(it.id) || (this.shown === 'errors' && it.kind === 'tool.call' && at >= late));
  }
  private draw() {
    this.items = filtered(folded(this.events), this.shown);
  }
  /** Many events are one drawing. */
  private drawSoon() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.draw();
    });
  }
}

function whole(event: Event): Omit<Told, 'sequence' | 'turn'> {
  return { id: event.id, kind: event.kind, createdAt: event.createdAt, data: event.data, text: event.text ?? '' };
}
