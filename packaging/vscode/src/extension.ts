// The sessions that need the user: a view with a badge, an item in the status bar, and a message for each new request.
import { commands, EventEmitter, StatusBarAlignment, ThemeIcon, TreeItem, window, type ExtensionContext, type TreeDataProvider } from 'vscode';
import { Asker, openPage, report } from './ask';
import { follow, read, type Approval, type Session } from './daemon';
import { signIn, signOut } from './sign-in';
import { jump } from './terminal';
import { count, plain, projectOf, titleOf } from './words';

const TOGETHER = 250; // Changes come in bursts.

export function activate({ secrets, subscriptions }: ExtensionContext): void {
  const screen = new Screen();
  const asker = new Asker(secrets, Date.now);
  let approvals: Approval[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const refresh = async () => {
    const { sessions } = await read<{ sessions: Session[] }>('/api/stream/status');
    ({ approvals } = await read<{ approvals: Approval[] }>('/api/approvals'));
    const since = ({ status_since: at }: Session) => Date.parse(at ?? '') || 0;
    screen.show(sessions.filter((it) => it.group === 'needs_you').sort((one, other) => since(one) - since(other)));
    asker.hear(approvals);
  };
  const changed = () =>
    void (timer ??= setTimeout(() => {
      timer = undefined;
      // One after the other. If the daemon is gone, following it notices that.
      last = last.then(refresh).catch(() => {});
    }, TOGETHER));
  // Other extensions can call commands, too: they get no answer, and no command decides anything.
  const register = (name: string, act: (given: unknown) => Promise<unknown>) =>
    subscriptions.push(commands.registerCommand(name, (given: unknown) => void act(given).catch(report)));
  // Of what a command is given, only the id of a session on the screen counts.
  const about = (name: string, act: (it: Session) => Promise<void>) =>
    register(name, async (given) => {
      const it = screen.sessions.find(({ id }) => id === (given as Partial<Session> | undefined)?.id);
      if (it) await act(it);
    });
  about('taffrail.review', (it) => {
    const asked = approvals.find(({ session_id, state }) => session_id === it.id && state === 'pending');
    return asked ? asker.ask(asked) : openPage(secrets, `/session/${it.id}`);
  });
  about('taffrail.open', (it) => openPage(secrets, `/session/${it.id}`));
  about('taffrail.jump', jump);
  register('taffrail.signIn', () => signIn(secrets));
  register('taffrail.signOut', () => signOut(secrets));
  const seen = window.onDidChangeWindowState(({ focused }) => focused && changed());
  subscriptions.push(screen, seen, follow(changed, () => screen.show()), { dispose: () => clearTimeout(timer) });
}

/** The view and the item in the status bar. */
class Screen implements TreeDataProvider<Session> {
  sessions: Session[] = [];
  private readonly changes = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view = window.createTreeView('taffrail.sessions', { treeDataProvider: this });
  private readonly item = window.createStatusBarItem('taffrail.count', StatusBarAlignment.Left, 0);

  constructor() {
    this.item.name = 'Taffrail';
    this.item.command = 'taffrail.sessions.focus';
  }

  getChildren = (parent?: Session): Session[] => (parent ? [] : this.sessions);

  getTreeItem(it: Session): TreeItem {
    const [item, waits] = [new TreeItem(titleOf(it)), plain(it.waiting_for?.text ?? '')];
    item.description = [projectOf(it), waits].filter(Boolean).join(' · ');
    item.tooltip = `${plain(it.agent, 40)} in ${plain(it.project_path ?? 'no folder', 200)}\n${waits}`;
    item.iconPath = new ThemeIcon(it.pending_approval_id ? 'shield' : 'question');
    item.command = { command: 'taffrail.review', title: 'Show', arguments: [it] };
    return item;
  }

  /** Shows these sessions, or that there is no daemon. */
  show(sessions?: Session[]): void {
    this.sessions = sessions ?? [];
    const words = count(this.sessions.length);
    this.view.badge = this.sessions.length ? { value: this.sessions.length, tooltip: words } : undefined;
    this.item.text = `$(bell) ${words}`;
    this.item.tooltip = this.sessions.map(titleOf).join('\n');
    this.item[this.sessions.length ? 'show' : 'hide']();
    this.changes.fire();
    void commands.executeCommand('setContext', 'taffrail.daemon', sessions ? 'on' : 'off');
  }

  dispose = (): void => [this.view, this.item, this.changes].forEach((it) => void it.dispose());
}
