import { z } from 'zod';
import { askControl } from '../adapters/control/ask.js';
import type { ControlAnswer, ControlRequest } from '../adapters/control/protocol.js';
import { serveControl } from '../adapters/control/server.js';
import { controlSocket } from '../adapters/control/socket-path.js';
import { type DataDirectory, dataDirectory, prepareRunFolder } from '../adapters/data-directory/data-directory.js';
import { isPasswordHash } from '../adapters/passwords/passwords.js';
import { lockDirectory } from '../adapters/sqlite/lock.js';
import { asSystem, createBus, type Dispatch, type Done } from '../commands/bus.js';
import { BackupError, type Backups } from '../commands/ports/backups.js';
import type { HeadPublisher } from '../commands/reactors/proof/head-publisher.js';
import type { CoreInstall } from '../commands/reactors/releases/core-install.js';
import { Rejection, reject } from '../commands/rejection.js';
import { panelState } from '../commands/state.js';
import { nameProblem } from '../commands/user/credential-rules.js';
import { InboundId } from '../events/ids.js';
import type { EventLog } from '../events/log/log.js';
import { begin, catchUp } from '../events/log/replay.js';
import type { Disposal } from '../lib/disposal.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { textOf } from '../messages/error.js';
import { issue, issueOf } from '../messages/issue.js';
import { message } from '../messages/message.js';
import type { ReadModels } from '../projections/read-models.js';
import { completeSwitch } from '../store/generations.js';
import { openJournal } from '../store/journal.js';
import { accessOperations } from './access-operations.js';
import { clusterOperations } from './cluster-operations.js';
import { configOperations } from './config-operations.js';
import { type ControlTarget, idOf, Name, type Operation, operation } from './operation.js';
import { personalDataOperations, webhookOperations } from './outside-operations.js';
import { proofOperations } from './proof-operations.js';
import { publishAsOperator } from './published-head.js';
import { applyRecount, RecountRequest } from './recount.js';
import { tokenOperations } from './token-operations.js';
import { type UndoTarget, undoAsOperator, undoWithoutPanel } from './undo.js';

const Credentials = z.strictObject({
  username: Name,
  passwordHash: z.string().max(1024, issue('cli.notPasswordHash')).refine(isPasswordHash, issue('cli.notPasswordHash')),
});

const MAX_ROLE_CHARS = 32;
const limit = z.int().nonnegative();
const Quotas = z.strictObject({ clients: limit, totalBytes: limit, clientBytes: limit, days: limit });
/** What an admin may do. */
const AccessOf = z.strictObject({
  role: z.string().max(MAX_ROLE_CHARS, issue('input.tooLong', { limit: MAX_ROLE_CHARS })),
  inbounds: z.array(InboundId),
  quotas: Quotas,
});
/** What is absent stays as it is. */
const ChangedAccess = AccessOf.extend({ quotas: Quotas.partial() }).partial().extend({ username: Name });

/** The operations of the operator. Passwords and secrets of tokens arrive only as hashes. */
const operations = {
  ...tokenOperations,
  ...accessOperations,
  ...personalDataOperations,
  ...webhookOperations,
  ...clusterOperations,
  ...configOperations,

  'admin.create': operation(Credentials.extend({ access: AccessOf }), (data, { dispatch }) => {
    const problem = nameProblem(data.username);
    if (problem !== null) throw new OperatorError(problem);
    const { username, passwordHash, access } = data;
    dispatch({ type: 'CreateUser', data: { username, passwordHash, access } });
  }),

  'admin.role': operation(ChangedAccess, ({ username, ...access }, { users, dispatch }) => {
    const { events } = dispatch({ type: 'ChangeAdminAccess', data: { user: idOf(users, username), ...access } });
    return { changed: events.length > 0 };
  }),

  'admin.remove': operation(
    z.strictObject({ username: Name, owner: Name.optional() }),
    ({ username, owner }, { users, dispatch }) => {
      const data = { user: idOf(users, username), owner: owner === undefined ? null : idOf(users, owner) };
      dispatch({ type: 'DeleteAdmin', data });
    },
  ),

  'admin.reset-password': operation(Credentials, ({ username, passwordHash }, { users, dispatch }) => {
    dispatch({ type: 'ChangeCredentials', data: { user: idOf(users, username), username, passwordHash } });
  }),

  'admin.disable-2fa': operation(z.strictObject({}), (_, { dispatch }) => {
    const { events } = dispatch({ type: 'SwitchOffTwoFactor', data: {} });
    return { changed: events.length > 0 };
  }),

  'admin.remove-factors': operation(z.strictObject({ username: Name }), ({ username }, { users, dispatch }) => {
    const { events } = dispatch({ type: 'RemoveFactors', data: { user: idOf(users, username) } });
    return { changed: events.length > 0 };
  }),

  'core.install': operation(z.strictObject({ version: z.string().max(40) }), ({ version }, { installCore }) => {
    if (installCore === null) throw new OperatorError(message('cli.noPanel'));
    return installCore(version);
  }),

  'backup.create': operation(z.strictObject({}), async (_, { backups }) => {
    if (backups === null) throw new OperatorError(message('cli.noPanel'));
    // The caller removes the file.
    const { path, name, bytes, position, sealed } = await reported(backups.create());
    return { path, name, bytes, position, sealed };
  }),

  'traffic.recount': operation(RecountRequest, (data, { undo }) => applyRecount(data, undo.change)),
  ...proofOperations,

  undo: operation(z.strictObject({ position: z.int().positive(), dryRun: z.boolean() }), (data, { undo }) =>
    undoAsOperator(undo, data),
  ),

  'state.replace': operation(
    z.strictObject({ file: z.string().min(1).max(4096), passphrase: z.string().max(1000).default('') }),
    async ({ file, passphrase }, { backups }) => {
      if (backups === null) throw new OperatorError(message('cli.noPanel'));
      return reported(backups.replaceFrom(file, passphrase, asSystem('cli').actor));
    },
  ),
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof operations;

/** Runs an operation in the running panel, or in this process when no panel runs. `timeoutMs`: for the panel's answer. */
export async function operate(
  dataDir: string,
  type: OperationName,
  data: unknown,
  timeoutMs = 30_000,
): Promise<unknown> {
  const directory = dataDirectory(dataDir);
  const request = { type, data };
  const answer =
    (await askControl(controlSocket(directory.run), directory.run, request, timeoutMs)) ??
    (await withExclusiveLock(directory, (target) => answerTo(request, target)));
  if (!answer.ok) throw new OperatorError(answer.error);
  return answer.result;
}

/** Runs an operation that only a panel can run that leads a cluster. Throws `OperatorError` when none runs here. */
export async function operateLeader(dataDir: string, type: OperationName, data: unknown): Promise<unknown> {
  const result = await operatePanel(dataDir, type, data);
  if (result === undefined) throw new OperatorError(message('cluster.approveOnLeader'));
  return result;
}

/** Runs an operation in the running panel; undefined = none runs. */
export async function operatePanel(dataDir: string, type: OperationName, data: unknown): Promise<unknown> {
  const { run } = dataDirectory(dataDir);
  const answer = await askControl(controlSocket(run), run, { type, data }, 30_000);
  if (answer === null) return undefined;
  if (!answer.ok) throw new OperatorError(answer.error);
  return answer.result;
}

/** The running panel, as far as the operator may use it. */
interface ControlledPanel {
  readonly read: Pick<ReadModels, 'admins'>;
  readonly log: Pick<EventLog, 'head'>;
  readonly dispatch: Dispatch;
  readonly directory: DataDirectory;
}

interface ControlParts {
  readonly coreInstall: Pick<CoreInstall, 'install'>;
  readonly backups: Backups;
  readonly undo: UndoTarget;
  readonly publisher: Pick<HeadPublisher, 'publish' | 'state'>;
  readonly joins: ControlTarget['joins'];
  readonly lastUse: ControlTarget['lastUse'];
  /** Waits until the cluster has confirmed what was appended; null = it has. */
  readonly confirmed: () => Promise<Rejection | null>;
  readonly warn: (message: string, fields: object) => void;
}

/** Opens the control socket, through which the command line reaches the running panel, until `disposal`. */
export async function openControl(
  { read, log, dispatch, directory }: ControlledPanel,
  { coreInstall, backups, undo, publisher, joins, lastUse, confirmed, warn }: ControlParts,
  disposal: Disposal,
): Promise<void> {
  const target: ControlTarget = {
    dataDir: directory.root,
    users: () => read.admins.users().users.values(),
    tokens: () => read.admins.access().tokens.values(),
    dispatch: (command) => accepted(dispatch(command, asSystem('cli'))),
    installCore: async (version) => {
      const done = await coreInstall.install(version, (command) => dispatch(command, asSystem('cli')));
      if (done instanceof Rejection) throw new OperatorError(done.text);
      return done;
    },
    backups,
    undo,
    joins,
    lastUse,
    publishHead: () => publishAsOperator(publisher, dispatch),
  };
  const failed = (error: unknown): ControlAnswer => {
    warn('a request of the operator failed', { err: error });
    return { ok: false, error: message('cli.panelFailed') };
  };
  const answer = async (request: ControlRequest): Promise<ControlAnswer> => {
    let relies = false;
    const before = log.head().position;
    const given = await answerTo(request, {
      ...target,
      dispatch(command) {
        // It may find nothing left to change, because an earlier change is not confirmed yet.
        relies = true;
        return target.dispatch(command);
      },
    });
    const refused = given.ok && (relies || log.head().position !== before) ? await confirmed() : null;
    return refused ? { ok: false, error: refused.text } : given;
  };
  try {
    const server = await serveControl(controlSocket(directory.run), (request) => answer(request).catch(failed));
    disposal.add(() => server.close());
  } catch (error) {
    // The panel works without it; the command line then works once the panel is stopped.
    warn('the command line cannot reach this panel: the control socket could not be opened', { err: error });
  }
}

async function answerTo({ type, data }: ControlRequest, target: ControlTarget): Promise<ControlAnswer> {
  const known: Operation | undefined = Object.hasOwn(operations, type) ? operations[type as OperationName] : undefined;
  if (!known) return { ok: false, error: message('cli.operationUnknown', { operation: type }) };
  const parsed = known.data.safeParse(data);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') || type;
    return { ok: false, error: message('cli.operationInvalid', { field, problem: issueOf(parsed.error) }) };
  }
  try {
    return { ok: true, result: (await known.run(parsed.data as never, target)) ?? null };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { ok: false, error: error.text };
  }
}

/** Failures of backups are reported to the operator. */
async function reported<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BackupError) throw new OperatorError(textOf(error));
    throw error;
  }
}

function accepted(done: Done | Rejection): Done {
  if (done instanceof Rejection) throw new OperatorError(done.text);
  return done;
}

/** Runs a task on the write side of a data directory whose panel does not run. */
export async function withExclusiveLock<T>(
  directory: DataDirectory,
  use: (target: ControlTarget, log: EventLog) => Promise<T>,
): Promise<T> {
  prepareRunFolder(directory);
  const lock = lockDirectory(directory.lock);
  try {
    completeSwitch(directory);
    const { log, anchor, complaint } = openJournal(directory);
    const state = begin(panelState);
    catchUp(log, [state]);
    const closed = complaint === null ? null : reject('STORAGE_READ_ONLY', { why: complaint });
    const parts = { log, state, now: Date.now, ownPorts: () => [], closed: () => closed };
    const dispatch = createBus(parts);
    try {
      const target: ControlTarget = {
        dataDir: directory.root,
        users: () => state.state.users.values(),
        tokens: () => state.state.access.tokens.values(),
        dispatch: (command) => accepted(dispatch(command, asSystem('cli'))),
        installCore: null,
        backups: null,
        publishHead: null,
        joins: () => null,
        lastUse: null,
        undo: undoWithoutPanel(log, parts, dispatch),
      };
      const result = await use(target, log);
      if (!closed) await anchor.flush();
      return result;
    } finally {
      log.close();
    }
  } finally {
    lock.release();
  }
}
