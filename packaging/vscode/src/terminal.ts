// From a session to its terminal: one of this editor, a tmux client in one, or a new one that attaches.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { window, workspace, type Terminal } from 'vscode';
import type { Session } from './daemon';

const run = promisify(execFile);

export async function jump(it: Session): Promise<void> {
  const [, socket, pane] = /^tmux:(?:(\/.*):)?(%\d+)$/.exec(it.executor ?? '') ?? [];
  const found = pane ? await clientOf(socket, pane) : it.pid ? await terminalOf(it.pid) : undefined;
  if (found) return found.show();
  if (!pane) return void window.showInformationMessage('It does not run in a terminal of this window, nor in tmux.');
  inTerminal(`taffrail attach ${it.id}`)?.show();
}

/** Runs a command of ours where the user sees it. A folder that is not trusted has no terminals: there the user runs it elsewhere. */
export function inTerminal(command: string): Terminal | undefined {
  if (!workspace.isTrusted) return void window.showInformationMessage(`Run this in a terminal: ${command}`);
  const terminal = window.createTerminal({ name: 'Taffrail' });
  terminal.show(true);
  terminal.sendText(command);
  return terminal;
}

/** A terminal of this window with a client of the pane's server, which then shows the pane. */
async function clientOf(socket: string | undefined, pane: string): Promise<Terminal | undefined> {
  const tmux = (...words: string[]) => run('tmux', socket ? ['-S', socket, ...words] : words).then((it) => it.stdout, () => '');
  for (const line of (await tmux('list-clients', '-F', '#{client_pid} #{client_name}')).split('\n')) {
    const [pid, name] = line.split(' ');
    const terminal = name && (await terminalOf(Number(pid)));
    if (terminal) return await tmux('switch-client', '-c', name, '-t', pane), terminal;
  }
  return undefined;
}

/** The terminal of this window whose shell is a process or one of those above it. */
async function terminalOf(process: number): Promise<Terminal | undefined> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const above = new Map(stdout.trim().split('\n').map((it) => it.trim().split(/\s+/).map(Number) as [number, number]));
  const line: number[] = [];
  for (let pid: number | undefined = process; pid && line.length < 100; pid = above.get(pid)) line.push(pid);
  const shells = await Promise.all(window.terminals.map(async (it) => [it, await it.processId] as const));
  return shells.find(([, pid]) => pid && line.includes(pid))?.[0];
}
