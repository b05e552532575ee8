// A browser that was let in reads. Before its first deed the person at it says that it may act, too.

let asking = $state(false);
let answers: ((may: boolean) => void)[] = [];

export const acting = {
  /** The question is to be shown. */
  get asking() { return asking; },
  /** Asks the person; whoever asks meanwhile gets the same answer. */
  ask(): Promise<boolean> {
    asking = true;
    return new Promise((answer) => answers.push(answer));
  },
  answer(may: boolean): void {
    const waiting = answers;
    answers = [];
    asking = false;
    for (const it of waiting) it(may);
  },
};
