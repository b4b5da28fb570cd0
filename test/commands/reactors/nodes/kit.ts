import { cpSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createRemotePanel } from '../../../../src/adapters/nodes/remote-panel.js';
import { createWeb } from '../../../../src/adapters/web/web.js';
import { remoteNodesOf } from '../../../../src/app/nodes.js';
import { asNode } from '../../../../src/commands/bus.js';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import type { ClientDraft } from '../../../../src/commands/client/credentials.js';
import type { InboundDraft } from '../../../../src/commands/inbound/inbound.js';
import type { RemotePanel } from '../../../../src/commands/ports/remote-panel.js';
import type { Web } from '../../../../src/commands/ports/web.js';
import type { RemoteNodes } from '../../../../src/commands/reactors/nodes/remote-nodes.js';
import { StateImported } from '../../../../src/events/backup.js';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { type InboundId, NodeId } from '../../../../src/events/ids.js';
import type { Node } from '../../../../src/events/node/node-document.js';
import { Alarms } from '../../../../src/lib/alarms.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { render } from '../../../../src/messages/render.js';
import { nodeMarks } from '../../../../src/projections/node/node-marks.js';
import { LogReadModels } from '../../../../src/projections/read-models.js';
import { startPanel } from '../../../http/kit/panel.js';
import { draft, inboundDraft, userId } from '../../../kit/builders.js';
import { busOver, TestLog, temporaryFolder } from '../../../kit/log.js';
import { XuiInbounds } from '../../../kit/real/three-x-ui/three-x-ui-inbounds.js';
import { ThreeXuiNode } from '../../../kit/real/three-x-ui/three-x-ui-node.js';

export const nodeOne = NodeId.parse(1);
const TOKEN = 'node-token';

interface Over {
  readonly spec?: object;
  readonly kind?: 'portolan' | '3x-ui';
  readonly panelId?: string;
}

/** A centre without servers and core: its log, its read models, and the sync with its nodes, run round by round. */
export function startCentre(
  wrap: (panel: RemotePanel) => RemotePanel = (panel) => panel,
  cleanUpMs = 10_000,
  journal = new TestLog(),
) {
  const bus = busOver(journal.log, journal.clock);
  const read = new LogReadModels(journal.log);
  const alarms = new Alarms();
  const notifications: string[] = [];
  alarms.raised$.subscribe(({ title, body }) => notifications.push(`${render(title, 'en')} | ${render(body, 'en')}`));
  const real = createWeb({ allowPrivate: true });
  // The clock of these tests stands still, so a slow machine must not make a request time out.
  const web: Web = {
    ...real,
    request: (url, options) => real.request(url, { ...options, timeoutMs: 60_000 }),
  };
  const panel = createRemotePanel(web, nodeMarks(read));
  const warnings: string[] = [];
  const { clock } = journal;
  const startSync = (): RemoteNodes =>
    remoteNodesOf({ read, dispatch: bus.dispatch, log: journal.log, alarms, now: clock.now }, wrap(panel), {
      histories: { add: () => undefined, history: () => [], forget: () => undefined },
      warn: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
      ...{ chance: () => 0.5, cleanUpMs },
    });
  const sync = startSync();
  onTestFinished(() => panel.close());
  let mark = journal.log.head().position;
  const must = (command: AnyCommand): readonly RecordedEvent[] => {
    mark = journal.log.head().position;
    return bus.must(command);
  };
  if (mark === 0) must({ type: 'CreateUser', data: { username: 'root', passwordHash: 'x' } });

  const centre = {
    ...{ journal, read, clock, bus, sync, must, warnings, notifications },
    node: (): Node => {
      const node = read.nodes.get(nodeOne);
      if (!node) throw new Error('there is no node');
      return node;
    },
    /** One round after a restart of the panel: its memory is lost. */
    async roundOfNewLife(): Promise<readonly RecordedEvent[]> {
      mark = journal.log.head().position;
      await startSync().round(nodeOne);
      return centre.appended();
    },
    /** Runs one round with the node; resolves to the appended events. */
    async round(): Promise<readonly RecordedEvent[]> {
      mark = journal.log.head().position;
      await sync.round(nodeOne);
      return centre.appended();
    },
    /**
     * Rounds with the time between them that it takes until a node has counted everything. Resolves to what they and the
     * command before them appended.
     */
    async settled(): Promise<readonly RecordedEvent[]> {
      for (let n = 0; n < 5; n += 1) {
        await sync.round(nodeOne);
        clock.advance(6_000);
      }
      return centre.appended();
    },
    /** The events appended since the last command or round began. */
    appended: (): readonly RecordedEvent[] => journal.log.read(mark, 1000),
    types: (): readonly string[] => centre.appended().map(({ type }) => type),
    addNode(port: number, { spec = {}, kind = 'portolan', panelId = '' }: Over = {}): void {
      const place = { scheme: 'http', host: '127.0.0.1', port, basePath: '/', allowPrivateAddress: true };
      must({
        type: 'AddNode',
        data: { enabled: true, spec: { name: 'Oslo', remark: '', ...place, ...spec }, token: TOKEN },
      });
      centre.identify(kind, panelId);
    },
    identify(kind: 'portolan' | '3x-ui', panelId: string): void {
      const asked = centre.node();
      bus.dispatch(
        { type: 'RecordNodeIdentity', data: { queried: asked, identity: { kind, panelId } } },
        asNode(asked),
      );
    },
    addInbound(
      clients: readonly ClientDraft[] = [],
      over: Parameters<typeof inboundDraft>[0] & { readonly local?: boolean } = {},
    ): InboundId {
      const { local = false, ...rest } = over;
      const asked: InboundDraft = inboundDraft({ ...rest, clients });
      const data = { ...asked, owner: userId(1), ...(local ? {} : { node: nodeOne }) };
      const added = must({ type: 'AddInbound', data }).find((event) => event.type === 'InboundAdded');
      if (!added) throw new Error('nothing was added');
      return added.data.inbound;
    },
    used(email: string): number {
      const client = read.clients.firstByEmail(email);
      if (!client) throw new Error(`there is no client ${email}`);
      const { up, down } = read.usage.client(client);
      return up + down;
    },
    edit(inbound: InboundId, email: string, over: Partial<ClientDraft>): void {
      const client = read.clients.inInbound(inbound, email);
      if (!client) throw new Error(`there is no client ${email}`);
      const { spec, identity, credential } = client;
      must({
        type: 'UpdateClient',
        data: { inbound, client: { email }, draft: { spec, identity, credential, ...over } },
      });
    },
    remove: (inbound: InboundId, email: string): void =>
      void must({ type: 'DeleteClient', data: { inbound, client: { email } } }),
  };
  return centre;
}
export type Centre = ReturnType<typeof startCentre>;

/** The centre as it is now, to be started again when it has gone on: as one that was restored from a backup. */
export function backupOf({ journal }: Pick<Centre, 'journal'>): () => Centre {
  const folder = temporaryFolder();
  journal.log.checkpoint();
  cpSync(journal.directory.root, folder, { recursive: true });
  return () => {
    const copy = new TestLog(folder);
    copy.append(StateImported({ source: 'portolan', sha256: '0'.repeat(64), origin: null, keptSettings: [] }));
    return startCentre(undefined, undefined, copy);
  };
}

/** A centre and a 3x-ui panel as its node. */
export async function withXui(wrap?: (panel: RemotePanel) => RemotePanel, cleanUpMs?: number) {
  const remote = await ThreeXuiNode.start({ token: TOKEN });
  onTestFinished(() => remote.stop());
  const xui = new XuiInbounds(remote);
  const centre = startCentre(wrap, cleanUpMs);
  centre.addNode(remote.port, { kind: '3x-ui' });
  /** The requests since the last call of this, without the questions of every round. */
  let seen = 0;
  const asked = (): readonly string[] => {
    const calls = remote.calls.slice(seen);
    seen = remote.calls.length;
    return calls
      .map(({ method, path }) => `${method} ${path.replace('panel/api/inbounds/', '')}`)
      .filter((line) => !/ (list|onlines|panel\/api\/server\/status)$/.test(line));
  };
  return { ...centre, remote, xui, asked };
}

/** A centre with another Portolan as its node: real routes, real log, and a core without connections. */
export async function withPortolan(wrap?: (panel: RemotePanel) => RemotePanel) {
  const remote = await startPanel();
  remote.given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
  const centre = startCentre(wrap);
  centre.addNode(remote.port, { panelId: remote.read.identity.panelId });
  return { ...centre, remote };
}

export const alice = draft('alice', 1);
export const bob = draft('bob', 2);

/** The recorded reason when a node declines a request with this message. */
export const declined = (why: string) => message('node.declined', { why: verbatim(why) });
