// The heights of many rows, and where each one stands: sums in a tree, so that one change is cheap.

export class Heights {
  private sums: Float64Array;
  private rows: Float64Array;
  private count = 0;

  constructor(private readonly guess: number) {
    this.sums = new Float64Array(1025);
    this.rows = new Float64Array(1024);
  }

  get length() { return this.count; }

  /** As many rows; new ones are as high as it is guessed. */
  resize(count: number) {
    if (count < this.count) this.clear();
    if (count > this.rows.length) this.room(Math.max(count, this.rows.length * 2));
    for (let row = this.count; row < count; row += 1) {
      this.rows[row] = this.guess;
      this.add(row, this.guess);
    }
    this.count = count;
  }

  set(row: number, height: number): boolean {
    const change = height - (this.rows[row] ?? 0);
    if (row >= this.count || Math.abs(change) < 0.5) return false;
    this.rows[row] = height;
    this.add(row, change);
    return true;
  }

  /** Where a row begins. */
  top(row: number): number {
    let sum = 0;
    for (let at = row; at > 0; at -= at & -at) sum += this.sums[at] ?? 0;
    return sum;
  }

  /** The row that stands at this height. */
  at(height: number): number {
    let row = 0;
    let left = height;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.rows.length))); step > 0; step >>= 1) {
      const next = row + step;
      const sum = this.sums[next] ?? 0;
      if (next <= this.count && sum <= left) { row = next; left -= sum; }
    }
    return Math.min(row, Math.max(0, this.count - 1));
  }

  private clear() {
    this.count = 0;
    this.sums.fill(0);
    this.rows.fill(0);
  }

  private room(size: number) {
    const old = this.rows;
    const count = this.count;
    this.rows = new Float64Array(size);
    this.sums = new Float64Array(size + 1);
    this.rows.set(old);
    for (let row = 0; row < count; row += 1) this.add(row, old[row] ?? 0);
  }

  private add(row: number, change: number) {
    for (let at = row + 1; at < this.sums.length; at += at & -at) this.sums[at] = (this.sums[at] ?? 0) + change;
  }
}
