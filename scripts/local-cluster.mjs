// A cluster to try on this machine: three panels and three NATS servers on loopback, with free ports and a temporary folder.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { capture, root } from './process.mjs';
import { Processes, RESTART_MS, Stopped } from './processes.mjs';
import { SetupError } from './setup.mjs';

const MEMBERS = ['one', 'two', 'three'];
const SERVERS = ['nats-1', 'nats-2', 'nats-3'];
/** Below the range of outgoing connections on Linux, so that none of them takes a port before its server listens. */
const PORTS = { min: 20_000, max: 32_000 };
/** Variables of the caller that the panels get. Others, such as a data directory, belong to another panel. */
const KEPT = /^PORTOLAN_(CORE_BIN|CORE_RELEASES_URL|GEO_RELEASES_URL|LOG_LEVEL)$/;

/** A free port, held until `release`: another cluster that starts at the same time does not choose it. */
async function reservePort() {
  for (;;) {
    // Its release waits for open connections, and a server that has started may connect to this one already.
    const server = createServer((socket) => socket.destroy());
    const port = PORTS.min + Math.floor(Math.random() * (PORTS.max - PORTS.min));
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true));
    });
    server.unref();
    if (isFree) return { port, release: () => new Promise((resolve) => server.close(resolve)) };
  }
}

/** Starts the three servers. Returns the address of the cluster for panels. */
async function startServers(processes, nats, folder) {
  const password = randomBytes(24).toString('hex');
  const servers = [];
  for (const name of SERVERS) servers.push({ name, client: await reservePort(), route: await reservePort() });
  for (const { name, client, route } of servers) {
    const config = {
      server_name: name,
      listen: `127.0.0.1:${client.port}`,
      authorization: { user: 'portolan', password },
      jetstream: {
        store_dir: join(folder, name),
        sync_interval: 'always',
        max_file_store: 2 ** 30,
        max_memory_store: 2 ** 26,
      },
      cluster: {
        name: 'portolan',
        listen: `127.0.0.1:${route.port}`,
        routes: servers
          .filter((other) => other.name !== name)
          .map((other) => `nats-route://127.0.0.1:${other.route.port}`),
        no_advertise: true,
      },
    };
    const file = join(folder, `${name}.conf`);
    // JSON is a subset of the configuration language.
    await writeFile(file, JSON.stringify(config, null, 2), { mode: 0o600 });
    await Promise.all([client.release(), route.release()]);
    processes.start(name, nats, ['-c', file], process.env);
  }
  return servers.map(({ client }) => `nats://portolan:${password}@127.0.0.1:${client.port}`).join(',');
}

/** A panel of the cluster, and a program `portolan-NAME` that runs the command line on its data. */
async function prepareMember(name, url, folder) {
  const ports = { PORT: await reservePort(), SUB_PORT: await reservePort(), OPS_PORT: await reservePort() };
  const own = {
    PORTOLAN_DATA_DIR: join(folder, name),
    ...{ PORTOLAN_HOST: '127.0.0.1', PORTOLAN_SUB_HOST: '127.0.0.1', PORTOLAN_SUB_PROCESSES: '0' },
    ...Object.fromEntries(Object.entries(ports).map(([key, { port }]) => [`PORTOLAN_${key}`, String(port)])),
    ...{ PORTOLAN_CLUSTER_URL: url, PORTOLAN_CLUSTER_NAME: name, PORTOLAN_CLUSTER_ADDRESS: '127.0.0.1' },
  };
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('PORTOLAN_') || KEPT.test(key));
  const env = { ...Object.fromEntries(inherited), ...own };
  const program = join(folder, `portolan-${name}`);
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const variables = Object.entries(own).map(([key, value]) => `export ${key}=${quoted(value)}`);
  const command = `exec ${quoted(process.execPath)} ${quoted(join(root, 'bin', 'portolan'))} "$@"`;
  await writeFile(program, `#!/bin/sh\n${variables.join('\n')}\n${command}\n`, { mode: 0o700 });
  return {
    ...{ name, env, program },
    url: `http://127.0.0.1:${ports.PORT.port}/`,
    subscriptions: `http://127.0.0.1:${ports.SUB_PORT.port}/sub/`,
    releasePorts: () => Promise.all(Object.values(ports).map(({ release }) => release())),
    metrics: `http://127.0.0.1:${ports.OPS_PORT.port}/metrics`,
    isReady: () =>
      fetch(`http://127.0.0.1:${ports.OPS_PORT.port}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ),
  };
}

const portolan = ({ env }, ...args) => capture(process.execPath, [join(root, 'bin', 'portolan'), ...args], { env });

async function must(member, ...args) {
  const { code, output } = await portolan(member, ...args);
  if (code !== 0) throw new SetupError(`${output}\n\nportolan ${args.join(' ')} failed for ${member.name}, see above.`);
  return output;
}

async function startPanel(processes, member, env = member.env) {
  await member.releasePorts();
  processes.start(member.name, process.execPath, [join(root, 'bin', 'portolan'), 'serve'], env);
  await processes.until(`${member.name} is ready`, member.isReady);
}

/** Waits until a gauge of a member has a value. */
const untilGauge = (processes, what, { metrics }, line) =>
  processes.until(what, async () => {
    const answer = await fetch(metrics).catch(() => null);
    return answer?.ok && (await answer.text()).includes(`\n${line}\n`);
  });

/** `portolan cluster join`: shows its fingerprint, and ends after the approval. */
function beginJoin({ env, program }) {
  const cwd = dirname(program);
  const child = spawn(process.execPath, [join(root, 'bin', 'portolan'), '--json', 'cluster', 'join'], { cwd, env });
  const joining = { output: '', fingerprint: null, ended: null };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      joining.output += text;
      joining.fingerprint ??= /"fingerprint": ?"([^"]+)"/.exec(joining.output)?.[1] ?? null;
    });
  child.once('close', (code) => {
    joining.ended = code ?? 1;
  });
  return joining;
}

async function joinCluster(processes, leader, member) {
  const joining = beginJoin(member);
  const hasEnded = () => joining.ended !== null;
  await processes.until(`${member.name} asks to join`, () => joining.fingerprint !== null || hasEnded());
  if (!hasEnded()) await must(leader, 'cluster', 'approve', member.name, joining.fingerprint);
  await processes.until(`${member.name} has joined`, hasEnded);
  if (joining.ended !== 0) throw new SetupError(`${joining.output}\n\n${member.name} could not join, see above.`);
  await startPanel(processes, member);
}

/** Makes the first panel, creates the cluster from it, and lets the others join, as docs/cluster.md describes. */
async function startMembers(processes, [first, ...others], password) {
  const { PORTOLAN_CLUSTER_URL: _, ...alone } = first.env;
  const account = { PORTOLAN_ADMIN_USERNAME: 'admin', PORTOLAN_ADMIN_PASSWORD: password };
  await startPanel(processes, first, { ...alone, ...account });
  await processes.end(first.name);
  await must(first, 'cluster', 'init');
  await startPanel(processes, first);
  await untilGauge(processes, 'The first panel leads', first, 'portolan_cluster_leader 1');
  await Promise.all(others.map((member) => joinCluster(processes, first, member)));
  const all = `portolan_cluster_members{state="running"} ${MEMBERS.length}`;
  await untilGauge(processes, 'All members have reported', first, all);
}

function describe(members, { folder, password, core, status }) {
  const line = ({ name, url, subscriptions }) => `  ${name.padEnd(9)}${url}   subscriptions ${subscriptions}`;
  return `
The cluster runs. Everything is in ${folder}

${members.map(line).join('\n')}

  Name      admin
  Password  ${password}
${core ? '' : '\nThere is no core, so inbounds do not run.\n'}
${status}

Try it in another terminal. What ends is started again after ${RESTART_MS / 1000} seconds.

  D=${folder}
  $D/portolan-one cluster members       # role, position and lag of each member; portolan-two is the command line of two
  $D/portolan-one cluster step-down     # another member leads within two seconds
  kill -9 -$(cat $D/one.pid)            # member one fails with all its processes; if it led, another one leads within 10 seconds
  kill -9 -$(cat $D/nats-1.pid)         # one NATS server fails: changes continue. Without two of them, changes are refused

Logs: ${folder}/*.log   Ctrl-C ends everything and removes the folder.
`;
}

/** Starts the cluster, and ends it when a signal arrives. `nats`: path of the NATS server. Resolves to the exit code. */
export async function runCluster({ core, nats }) {
  if (!nats)
    throw new SetupError('There is no NATS server: install Go 1.26, or set PORTOLAN_NATS_BIN to nats-server 2.15.');
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'portolan-local-cluster-')));
  const processes = new Processes(folder, MEMBERS);
  const ending = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => {
        processes.stop();
        resolve();
      });
  });
  try {
    console.log('Starting three NATS servers and three panels (about half a minute)…');
    const url = await startServers(processes, nats, folder);
    const members = [];
    for (const name of MEMBERS) members.push(await prepareMember(name, url, folder));
    const password = randomBytes(15).toString('base64url');
    await startMembers(processes, members, password);
    processes.ready();
    const status = await must(members[0], 'cluster', 'status');
    console.log(describe(members, { folder, password, core, status }));
    await ending;
    console.log('Ending all processes…');
    return 0;
  } catch (error) {
    if (error instanceof Stopped) return 130;
    throw error;
  } finally {
    await processes.endAll();
    await rm(folder, { recursive: true, force: true });
  }
}
