// What is shown of a session and of a request. Both hold text of agents: it is shown as plain text, or not at all.
import { basename } from 'node:path';
import type { Approval, Session } from './daemon';

const LONGEST = 240;
/** Words of visible ASCII between single spaces: all that a message of the editor shows as it is, without hidden or look-alike characters. */
const VISIBLE = /^[!-~]+( [!-~]+)*$/;
/** Two characters that make a link; in a message a link can run a command of the editor. */
const LINK = '](';

/** Foreign text on one line, without invisible characters and links. */
export function plain(text: string, longest = 80): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').replaceAll(LINK, '] (').trim();
  return line.length > longest ? `${[...line].slice(0, longest).join('')}…` : line;
}

export const titleOf = (it: Session): string => plain(it.auto_title || it.title || it.id.slice(0, 8));
/** The name of its folder as one word, so that no folder can pretend to be a part of the message. */
export const projectOf = (it: Pick<Session, 'project_path'>): string =>
  plain(basename(it.project_path ?? '').replace(/[^\p{L}\p{N}._-]+/gu, '_'), 40) || 'no folder';
export const count = (sessions: number): string => (sessions === 1 ? '1 needs you' : `${sessions} need you`);

/** True if a message can show everything that would be run, and it does not look risky. */
export function isAnswerable(it: Approval): boolean {
  const fields = it.input?.fields ?? {};
  const isWhole = !it.truncated && !it.redacted && it.input?.cut === false && Object.keys(fields).every((name) => name === 'command' || name === 'description');
  const isVisible = fields.command === it.command && it.command.length <= LONGEST && VISIBLE.test(it.command) && !it.command.includes(LINK);
  return (it.risk === 'low' || it.risk === 'medium') && isWhole && isVisible;
}

export function question(it: Approval): string {
  const who = `${plain(it.agent, 40)} in ${projectOf(it)}`;
  if (isAnswerable(it)) return `${who} asks to run: ${it.command}`;
  return `${who} asks for approval (${plain(it.tool, 40)}). ${it.risk === 'high' ? 'It looks risky: open' : 'Open'} to read.`;
}
