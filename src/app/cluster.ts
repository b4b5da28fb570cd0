import { hostname } from 'node:os';
import type { PanelLogger } from '../adapters/logs/logger.js';
import type { NatsOptions } from '../adapters/nats/connection.js';
import type { ClusterLink } from '../cluster/link.js';
import { type Config } from '../config.js';
import { version } from '../version.js';

export type { ClusterLink };

/** Why a process ends when it no longer leads: the next one compares its log with the cluster and follows. */
export const ROLE_CHANGE = 'cluster role';

/** The membership in a cluster; null without `PORTOLAN_CLUSTER_URL`, and then no code of a cluster is loaded. */
export async function createCluster(config: Config, logger: PanelLogger): Promise<ClusterLink | null> {
  const options = natsOptions(config);
  if (options === null) return null;
  const { ClusterLink } = await import('../cluster/link.js');
  return new ClusterLink({
    ...{ ...options, ack: config.CLUSTER_ACK, keepDays: config.CLUSTER_KEEP_DAYS, version, now: Date.now },
    warn: (message, fields = {}) => logger.warn(fields, message),
  });
}

/** How to reach the cluster; null without `PORTOLAN_CLUSTER_URL`. */
export const natsOptions = (config: Config): NatsOptions | null =>
  config.CLUSTER_URL === undefined ? null : clusterLogin(config);

/** How this machine reaches the servers of the cluster. */
export function clusterLogin(config: Config) {
  const { CLUSTER_URL: url = '', CLUSTER_CREDENTIALS: credentials, CLUSTER_CA: ca } = config;
  return {
    ...{ url, name: memberName(config), credentials, ca },
    ...{ certificate: config.CLUSTER_CERT, key: config.CLUSTER_KEY },
  };
}

/** The name of this machine in the cluster. */
export function memberName({ CLUSTER_NAME: name }: Pick<Config, 'CLUSTER_NAME'>): string {
  return (
    name ??
    hostname()
      .replaceAll(/[^A-Za-z0-9_-]/g, '-')
      .slice(0, 63)
  );
}

/** At which clients reach the inbounds of this machine. Empty: a host name without a domain means nothing to clients. */
export function memberAddress({ CLUSTER_ADDRESS: address }: Pick<Config, 'CLUSTER_ADDRESS'>): string {
  return address ?? (hostname().includes('.') ? hostname() : '');
}
