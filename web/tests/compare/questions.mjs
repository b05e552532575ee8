// The questions as docs/compare.md lists them, and what each answer is worth: the script computes whether it is right, a person judged the words.
const asked = (question, taffrail = '', agentsview = '') => ({ question, taffrail, agentsview });

/** Questions 1 to 10, and one answer. */
const FIRST = {
  waits: asked('1. Which sessions wait on me, and for what?', '', 'no: "recently active, currently idle"; "flagged" after ten minutes'),
  answer: asked('and answer one', '', 'no: it does not act'),
  failed: asked('2. In which turn did `two_callers_renew_once` fail?', 'with its number'),
  project: asked('3. What did the project billing use this week?', 'in tokens and dollars', 'in dollars (tokens: one step more)'),
  parallel: asked('4. What ran in parallel yesterday?'),
  files: asked('5. Which files did this session change?', 'as a list', 'among its calls'),
  asked: asked('6. What did I ask this session last?'),
  phrase: asked('7. Where was "were not one step" said?'),
  cost: asked('8. Which session cost most?', 'as reported or by list prices', 'by list prices'),
  agent: asked('9. How much did Claude Code use today?', 'in tokens and dollars', 'in dollars'),
  doing: asked('10. What is this session doing now, and how sure is that?', 'the command, the confidence, and why', 'no: a dot, by how long ago the file changed'),
};

const HARDER = {
  file: asked('Which file cost most this week?', 'each turn divided between its edits'),
  filled: asked('What filled the context of this session?'),
  twice: asked('What failed twice in this session?'),
  slow: asked('Which sub-agent of this session was slow?'),
  resume: asked('How do I resume what I left on Friday?'),
  denied: asked('What did an agent want to do this week that I denied?'),
  against: asked('How much more did I spend than the week before?'),
  changed: asked('Which sessions changed `src/rows.py`, and for what?'),
  worst: asked('Which tool fails most in the project export?'),
  turn: asked('What did turn 2 cost, and how long did it wait for me?'),
};

export const TABLES = [['Ten questions, and one answer', FIRST], ['Ten harder questions', HARDER]];
export const QUESTIONS = { ...FIRST, ...HARDER };

const HEAD = '| question | Taffrail: steps | seconds | right | agentsview: steps | seconds | right |\n|---|--:|--:|---|--:|--:|---|';
const WORDS = ['no', 'one', 'two', 'three', 'four', 'five'];
/** A difference below this is within what the rounds differ by. */
const NOISE = 0.1;

/** Where the other program is ahead, the row says so. */
export function behind(ours, theirs) {
  if (!ours?.right || !theirs?.right) return '';
  const more = ours.steps - theirs.steps;
  const slower = ours.seconds - theirs.seconds;
  return [
    more > 0 && `**${WORDS[more] ?? more} ${more === 1 ? 'step' : 'steps'} more**`,
    slower > NOISE && `**${slower.toFixed(1)} s slower**`,
  ].filter(Boolean).join(', ');
}

function worth(it, words, more = '') {
  const isJudged = words.startsWith('no');
  const verdict = !it || !it.right || isJudged ? 'no' : 'yes';
  const said = isJudged ? words : [verdict, verdict === 'yes' && words].filter(Boolean).join(', ');
  return [said, more].filter(Boolean).join('; ');
}

const measured = (it) => (it ? `${it.steps} | ${it.seconds.toFixed(2)}` : '- | -');

/** A row as the document has it. */
export function row(name, ours, theirs) {
  const { question, taffrail, agentsview } = QUESTIONS[name];
  return `| ${question} | ${measured(ours)} | ${worth(ours, taffrail, behind(ours, theirs))} | ${measured(theirs)} | ${worth(theirs, agentsview)} |`;
}

/** The tables of the document, of the questions that were asked. */
export function tables(seen) {
  const rows = new Map(seen.map(([name, ours, theirs]) => [name, row(name, ours, theirs)]));
  return TABLES.map(([title, of]) => [title, Object.keys(of).filter((it) => rows.has(it)).map((it) => rows.get(it))])
    .filter(([, all]) => all.length).map(([title, all]) => `## ${title}\n\n${HEAD}\n${all.join('\n')}`).join('\n\n');
}
