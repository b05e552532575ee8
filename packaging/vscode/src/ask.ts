// Messages about requests for approval, with the buttons that decide. Nothing else in this extension decides.
import { env, Uri, window, workspace, type SecretStorage } from 'vscode';
import { place, type Approval } from './daemon';
import { act, ticketOf } from './sign-in';
import { inTerminal } from './terminal';
import { isAnswerable, plain, question } from './words';

/** A button that is new, or that moved, does nothing: a click that was meant for another message lands there. */
const FRESH = 600;

export class Asker {
  private readonly shown = new Set<string>();
  private moved = 0;
  private isFirst = true;

  constructor(private readonly secrets: SecretStorage, private readonly now: () => number) {}

  /** Shows each new request once: in the window of its folder, or in the one that the user looks at. */
  hear(open: Approval[]): void {
    const isSeen = (it: Approval) => this.isFirst || window.state.focused || isHere(it);
    for (const it of open.filter((it) => it.state === 'pending' && !this.shown.has(it.id) && isSeen(it))) {
      this.shown.add(it.id);
      if (!this.isFirst) void this.ask(it).catch(report); // Those that were there before the editor are in the view.
    }
    this.isFirst = false;
  }

  /** One message, until it is answered or closed. */
  async ask(it: Approval): Promise<void> {
    // Open is first: a key of the editor presses the first button of a message.
    const buttons = isAnswerable(it) ? ['Open', 'Deny', 'Allow'] : ['Open'];
    this.moved = this.now();
    const said = await window.showInformationMessage(question(it), ...buttons);
    const isFresh = this.now() - this.moved < FRESH;
    this.moved = this.now();
    if (said === 'Open') return openPage(this.secrets, `/session/${it.session_id}`);
    if (!said) return;
    const decision = said === 'Allow' ? 'allow' : 'deny';
    if (isFresh || !(await act(this.secrets, `/api/approvals/${it.id}`, { decision }))) return this.ask(it);
    window.setStatusBarMessage(`Taffrail: ${decision === 'allow' ? 'allowed' : 'denied'}`, 5000);
  }
}

export function report(error: unknown): void {
  void window.showErrorMessage(`Taffrail: ${plain(error instanceof Error ? error.message : String(error), 400)}`);
}

const isHere = ({ project_path: path }: Approval) => path !== null && workspace.getWorkspaceFolder(Uri.file(path)) !== undefined;

/** Opens a page of the daemon in the user's browser, which signs in by itself. */
export async function openPage(secrets: SecretStorage, path: string): Promise<void> {
  const host = (await ticketOf(secrets))?.host;
  const http = place()?.http;
  // Without a sign-in nobody here knows the address: the board opens instead.
  if (!host || !http || !host.endsWith(`:${new URL(http).port}`)) return void inTerminal('taffrail web');
  // On another machine the editor forwards the port.
  if (env.remoteName) await env.asExternalUri(Uri.parse(http));
  await env.openExternal(Uri.parse(`http://${host}${path}`));
}
