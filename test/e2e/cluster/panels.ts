import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startNats } from '../../kit/real/nats/server.js';
import { cli, type PanelProcess, removeFolder, startPanel } from '../../kit/real/panel-process.js';
import { until } from '../../kit/wait.js';

/** The environment of a member. */
export const member = (name: string, url: string) => ({ PORTOLAN_CLUSTER_URL: url, PORTOLAN_CLUSTER_NAME: name });

/** A NATS server, and the data directories of two members of a new cluster. */
export async function newCluster() {
  const nats = await startNats();
  onTestFinished(() => nats.remove());
  const url = nats.url.replace('://', `://${nats.user.user}:${nats.user.password}@`);
  const folder = mkdtempSync(join(tmpdir(), 'portolan-cluster-'));
  onTestFinished(() => removeFolder(folder));
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  await (await startPanel({ dataDir: one })).stop();
  const created = await cli(['cluster', 'init', '--replicas', '1', '--json'], one, { env: member('one', url) });
  expect(JSON.parse(created.stdout)).toMatchObject({ replicas: 1 });
  cpSync(one, two, { recursive: true });
  rmSync(join(two, 'run'), { recursive: true });
  return { nats, url, one, two };
}

export async function startMember(
  dataDir: string,
  name: string,
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<PanelProcess> {
  const panel = await startPanel({ dataDir, env: { ...member(name, url), ...env }, launcher: true });
  onTestFinished(() => panel.cleanUp());
  return panel;
}

export const statusOf = async (dataDir: string, name: string, url: string) =>
  JSON.parse((await cli(['cluster', 'status', '--json'], dataDir, { env: member(name, url) })).stdout) as {
    leader: string | null;
    relation: string;
    position: number;
  };

export const leads = (dataDir: string, name: string, url: string) =>
  until(`${name} leads`, async () => (await statusOf(dataDir, name, url)).leader === name);

export const inbound = (port: number, remark: string) => ({
  ...{ enable: true, remark, listen: '127.0.0.1', port, protocol: 'vless', expiryTime: 0, total: 0, sniffing: '{}' },
  settings: JSON.stringify({ clients: [], decryption: 'none' }),
  streamSettings: JSON.stringify({ network: 'tcp', security: 'none' }),
});

/** Two running members, of which the first leads. */
export async function startTwo() {
  const cluster = await newCluster();
  const { url, one, two } = cluster;
  const leader = await startMember(one, 'one', url);
  await leads(one, 'one', url);
  return { ...cluster, leader, follower: await startMember(two, 'two', url) };
}
