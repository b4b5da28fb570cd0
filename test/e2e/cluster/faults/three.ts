import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type FaultyClock, faultyClock } from '../../../kit/real/faults/clock.js';
import { type FailingDisk, failingDisk } from '../../../kit/real/faults/failing-disk.js';
import { type NatsCluster, startNatsCluster } from '../../../kit/real/nats/cluster.js';
import {
  Admin,
  cli,
  killPanel,
  must,
  type PanelPorts,
  type PanelProcess,
  panelPid,
  panelPorts,
  removeFolder,
  startPanel,
} from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { type Direction, startTcpProxy, type TcpProxy } from '../../../kit/real/tcp-proxy.js';
import { pause, until } from '../../../kit/wait.js';
import { inbound } from '../panels.js';

export const STREAM = 'PORTOLAN_LOG';
/** Inbound 1, to which the writers add clients. */
const INBOUND = 1;

/** A member of the cluster: its directory, its process, and its network to the NATS servers. */
export class FaultyMember {
  readonly name: string;
  readonly dataDir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #ports: PanelPorts;
  readonly #network: readonly TcpProxy[];
  /** The clock and the disk of its machine; null without a C compiler. */
  readonly clock: FaultyClock | null = faultyClock();
  readonly disk: FailingDisk | null;
  #panel: PanelProcess | null = null;

  constructor(name: string, dataDir: string, env: Record<string, string>, ports: PanelPorts, network: TcpProxy[]) {
    [this.name, this.dataDir, this.#env, this.#ports, this.#network] = [name, dataDir, env, ports, network];
    this.disk = failingDisk(dataDir);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#ports.panel}`;
  }

  /** Starts the panel with its launcher, on the same ports each time. */
  async start(): Promise<void> {
    const { dataDir, clock, disk } = this;
    const libraries = [clock, disk].flatMap((fault) => fault?.env['LD_PRELOAD'] ?? []).join(' ');
    const faults = { ...clock?.env, ...disk?.env, ...(libraries !== '' && { LD_PRELOAD: libraries }) };
    this.#panel = await startPanel({ dataDir, env: { ...this.#env, ...faults }, ports: this.#ports, launcher: true });
  }

  /** Starts a panel that has ended. */
  async revive(): Promise<void> {
    const isRunning = await Promise.race([this.panel.exited.then(() => false), pause(500).then(() => true)]);
    if (!isRunning) await this.start();
  }

  get panel(): PanelProcess {
    if (this.#panel === null) throw new Error(`${this.name} was not started`);
    return this.#panel;
  }

  /** kill -9 of the panel and its launcher. */
  kill(): void {
    killPanel(this.panel);
  }

  /** SIGSTOP or SIGCONT to the panel. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(panelPid(this.panel), signal);
  }

  /** Nothing arrives at the NATS servers, or from them, and no connection is closed. Default: both directions. */
  cut(...directions: Direction[]): void {
    for (const proxy of this.#network) proxy.cut(...directions);
  }

  heal(): void {
    this.clock?.step(0);
    this.disk?.fail(null);
    for (const proxy of this.#network) proxy.heal();
  }

  /** Whether it says that it leads. */
  async leads(): Promise<boolean> {
    const answer = await fetch(`${this.panel.opsUrl}/metrics`, { signal: AbortSignal.timeout(1000) });
    return /^portolan_cluster_leader(?:\{[^}]*\})? 1$/m.test(await answer.text());
  }

  /** `portolan cluster …` on its machine. */
  run(...args: readonly string[]) {
    return cli(['cluster', ...args], this.dataDir, { env: this.#env });
  }

  async remove(): Promise<void> {
    this.heal();
    await this.#panel?.cleanUp();
    await Promise.all(this.#network.map((proxy) => proxy.stop()));
    this.clock?.remove();
    this.disk?.remove();
  }
}

export interface Three {
  readonly nats: NatsCluster;
  readonly members: readonly FaultyMember[];
  /** The API token of the panel. */
  readonly token: string;
  /** The member that leads; waits until exactly one says so. */
  leader(): Promise<FaultyMember>;
  /** Ends all faults of the network and of paused processes, and starts what was killed. */
  healAll(): Promise<void>;
}

/** Three members and three NATS servers, all with a network that can be cut, and one inbound. Until the end of the test. */
export async function startThree(): Promise<Three> {
  const nats = await startNatsCluster({ proxied: true });
  onTestFinished(() => nats.remove());
  const folder = mkdtempSync(join(tmpdir(), 'portolan-cluster-'));
  onTestFinished(() => removeFolder(folder));
  const members = await Promise.all(['one', 'two', 'three'].map((name) => memberOf(nats, name, join(folder, name))));
  for (const member of members) onTestFinished(() => member.remove());
  const token = await begin(members);
  return {
    ...{ nats, members, token },
    leader: () => leaderOf(members),
    healAll: async () => {
      nats.heal();
      for (const server of nats.servers) {
        if (server.running()) server.resume();
        else await server.start();
      }
      for (const member of members) member.heal();
      await nats.ready();
    },
  };
}

async function memberOf(nats: NatsCluster, name: string, dataDir: string): Promise<FaultyMember> {
  const network = await Promise.all(nats.servers.map(({ port }) => startTcpProxy(port)));
  const [{ user, password } = { user: '', password: '' }] = nats.servers.map((server) => server.user);
  const servers = network.map(({ port }) => `nats://${user}:${password}@127.0.0.1:${port}`);
  const env = { PORTOLAN_CLUSTER_URL: servers.join(','), PORTOLAN_CLUSTER_NAME: name, PORTOLAN_SUB_PROCESSES: '0' };
  return new FaultyMember(name, dataDir, env, await panelPorts(), network);
}

/** Creates the cluster from a panel with an inbound, and starts all members. Returns the API token. */
async function begin(members: readonly FaultyMember[]): Promise<string> {
  const [one, ...others] = members as [FaultyMember, ...FaultyMember[]];
  const panel = await startPanel({ dataDir: one.dataDir });
  const admin = await panel.admin();
  await must(admin.post('/panel/api/inbounds/add', inbound(await freePort(), 'clients')));
  const token = await must(admin.get<string>('/panel/setting/getApiToken'));
  await panel.stop();
  const created = await one.run('init');
  if (created.code !== 0) throw new Error(`the cluster could not be created: ${created.stderr}`);
  for (const { dataDir } of others) {
    cpSync(one.dataDir, dataDir, { recursive: true });
    rmSync(join(dataDir, 'run'), { recursive: true });
  }
  await one.start();
  await leaderOf([one]);
  await Promise.all(others.map((member) => member.start()));
  return token;
}

const leaderOf = (members: readonly FaultyMember[]): Promise<FaultyMember> =>
  until('one member leads', async () => {
    const answers = await Promise.all(members.map((member) => member.leads().catch(() => false)));
    const leaders = members.filter((_, n) => answers[n]);
    return leaders.length === 1 ? leaders[0] : undefined;
  });

/** The body of a request that adds one client. */
export function clientBody(email: string): object {
  const client = { id: crypto.randomUUID(), email, subId: `sub-${email}`, enable: true, flow: '', limitIp: 0 };
  return { id: INBOUND, settings: JSON.stringify({ clients: [client] }) };
}

export const bearer = ({ url }: FaultyMember, token: string, timeoutMs: number): Admin =>
  new Admin(url, { token, timeoutMs });
