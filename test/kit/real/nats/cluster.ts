import { until } from '../../wait.js';
import { freePort, freePorts } from '../ports.js';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.js';
import { type NatsOptions, type NatsServer, prepareNats } from './server.js';

export interface NatsClusterOptions extends Omit<NatsOptions, 'name'> {
  /** Default 3. */
  readonly size?: number;
  /** The servers reach each other through TCP proxies, so that their network can be cut. */
  readonly proxied?: boolean;
}

export interface NatsCluster {
  /** n1, n2, n3. */
  readonly servers: readonly NatsServer[];
  /** The URLs of all servers, with commas between them. */
  readonly url: string;
  server(name: string): NatsServer;
  /** Waits until the running servers agree on a running leader and each of them is healthy. */
  ready(): Promise<void>;
  /** The server that leads JetStream, if those that run agree on one. */
  metaLeader(): Promise<NatsServer | undefined>;
  /** The server that leads a stream. Undefined during an election. */
  streamLeader(stream: string): Promise<NatsServer | undefined>;
  /** Waits until a stream has a leader, and all its replicas on running servers have caught up. */
  streamReady(stream: string): Promise<NatsServer>;
  /** What each running server itself has of a stream; a server without a replica is left out. */
  copies(stream: string): Promise<StreamCopy[]>;
  /** Cuts the network from one server to another; nothing arrives, and no connection is closed. The way back still works. */
  cutOneWay(from: NatsServer, to: NatsServer): void;
  /** Cuts the network between these servers and all others, in both directions. */
  isolate(...servers: NatsServer[]): void;
  /** Delays all bytes between servers. */
  delay(ms: number): void;
  /** Ends all cuts and delays. */
  heal(): void;
  /** Ends all servers and deletes their data. */
  remove(): Promise<void>;
}

export interface StreamCopy {
  readonly server: string;
  readonly messages: number;
  /** Stream sequences; 0 = empty. */
  readonly first: number;
  readonly last: number;
}

/** Some servers on loopback that form a cluster. Waits until they are ready: less than a second on an idle machine. */
export async function startNatsCluster(options: NatsClusterOptions = {}): Promise<NatsCluster> {
  const { size = 3, proxied = false, ...common } = options;
  const routePorts = await freePorts(size, 'tcp');
  const network = proxied ? await startNetwork(routePorts) : undefined;
  // Servers also tell each other their addresses; where nobody listens, nobody gets past the proxies.
  const advertised = proxied ? { advertise: `127.0.0.1:${await freePort('tcp')}` } : {};
  const servers = await Promise.all(
    routePorts.map((port, index) => {
      const others = routePorts.filter((other) => other !== port);
      const dialled = network?.portsFrom(index) ?? others;
      const cluster = {
        name: 'portolan',
        listen: `127.0.0.1:${port}`,
        routes: dialled.map((other) => `nats-route://127.0.0.1:${other}`),
        no_advertise: true,
        ...advertised,
      };
      return prepareNats({ ...common, name: `n${index + 1}`, config: { cluster, ...common.config } });
    }),
  );
  const cluster = clusterOf(servers, network);
  try {
    await Promise.all(servers.map((server) => server.start()));
    if (common.jetstream !== false) await cluster.ready();
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  return cluster;
}

function clusterOf(servers: readonly NatsServer[], network: Network | undefined): NatsCluster {
  const named = (name: string | undefined) => servers.find((server) => server.name === name && server.running());
  const running = () => servers.filter((server) => server.running());
  const metaLeader = async (): Promise<NatsServer | undefined> => {
    const answers = await Promise.all(running().map((server) => server.monitor('/jsz')));
    const leaders = new Set(answers.map((answer) => (answer as JetStreamState | undefined)?.meta_cluster?.leader));
    return leaders.size === 1 ? named([...leaders][0]) : undefined;
  };
  const streamOn = async (server: NatsServer, stream: string) => {
    const answer = (await server.monitor('/jsz?accounts=true&streams=true')) as JetStreamState | undefined;
    const streams = (answer?.account_details ?? []).flatMap((account) => account.stream_detail ?? []);
    return streams.find(({ name }) => name === stream);
  };
  /** The server that most of the replicas name, itself included: one that was cut off may still think that it leads. */
  const leading = async (stream: string) => {
    const views = await Promise.all(
      running().map(async (server) => ({ server, state: (await streamOn(server, stream))?.cluster })),
    );
    return views.find(({ server, state }) => {
      const votes = views.filter((view) => view.state?.leader === server.name).length;
      return state?.leader === server.name && 2 * votes > (state.replicas?.length ?? 0) + 1;
    });
  };
  const cutNetwork = (): Network => {
    if (network === undefined) throw new Error('start the cluster with `proxied: true`');
    return network;
  };
  return {
    servers,
    url: servers.map(({ url }) => url).join(','),
    server: (name) => {
      const found = servers.find((server) => server.name === name);
      if (found === undefined) throw new Error(`no server ${name}`);
      return found;
    },
    metaLeader,
    ready: async () => {
      await until(
        'the NATS servers are ready',
        async () => {
          const healthy = await Promise.all(running().map((server) => server.healthy()));
          return !healthy.includes(false) && (await metaLeader()) !== undefined;
        },
        10,
      );
    },
    streamLeader: async (stream) => (await leading(stream))?.server,
    streamReady: (stream) =>
      until(
        `stream ${stream} is ready`,
        async () => {
          const leader = await leading(stream);
          const late = leader?.state?.replicas?.some(({ name, current }) => named(name) !== undefined && !current);
          return late === true ? undefined : leader?.server;
        },
        10,
      ),
    copies: async (stream) => {
      const found = await Promise.all(
        running().map(async (server) => ({ server: server.name, state: (await streamOn(server, stream))?.state })),
      );
      return found.flatMap(({ server, state }) =>
        state === undefined ? [] : [{ server, messages: state.messages, first: state.first_seq, last: state.last_seq }],
      );
    },
    cutOneWay: (from, to) => cutNetwork().cut(servers.indexOf(from), servers.indexOf(to)),
    isolate: (...isolated) => {
      const others = servers.filter((server) => !isolated.includes(server));
      for (const one of isolated.map((server) => servers.indexOf(server))) {
        for (const other of others.map((server) => servers.indexOf(server))) {
          cutNetwork().cut(one, other);
          cutNetwork().cut(other, one);
        }
      }
    },
    delay: (ms) => cutNetwork().delay(ms),
    heal: () => cutNetwork().heal(),
    remove: async () => {
      await Promise.all(servers.map((server) => server.remove()));
      await network?.stop();
    },
  };
}

/** The parts of the answer to `/jsz` that are used here. */
interface JetStreamState {
  readonly meta_cluster?: { readonly leader?: string };
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly state: { readonly messages: number; readonly first_seq: number; readonly last_seq: number };
      readonly cluster?: {
        readonly leader?: string;
        readonly replicas?: readonly { readonly name: string; readonly current: boolean }[];
      };
    }[];
  }[];
}

/** A proxy for each ordered pair of servers: the first one dials, the second one listens. */
interface Network {
  portsFrom(index: number): number[];
  cut(from: number, to: number): void;
  delay(ms: number): void;
  heal(): void;
  stop(): Promise<void>;
}

async function startNetwork(ports: readonly number[]): Promise<Network> {
  const links: { from: number; to: number; proxy: TcpProxy }[] = [];
  for (const from of ports.keys()) {
    for (const [to, port] of ports.entries()) {
      if (from !== to) links.push({ from, to, proxy: await startTcpProxy(port) });
    }
  }
  return {
    portsFrom: (index) => links.filter(({ from }) => from === index).map(({ proxy }) => proxy.port),
    cut: (from, to) => {
      for (const link of links) {
        if (link.from === from && link.to === to) link.proxy.cut('to-server');
        if (link.from === to && link.to === from) link.proxy.cut('to-client');
      }
    },
    delay: (ms) => links.forEach(({ proxy }) => proxy.delay(ms)),
    heal: () => {
      for (const { proxy } of links) {
        proxy.heal();
        proxy.delay(0);
      }
    },
    stop: async () => {
      await Promise.all(links.map(({ proxy }) => proxy.stop()));
    },
  };
}
