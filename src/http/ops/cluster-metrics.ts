import type { Gauge } from 'prom-client';
import { type ClusterView, quorumOf } from '../../commands/ports/cluster.js';

interface Figures {
  gauge(name: string, help: string, measure: (set: Gauge['set']) => void, labels?: string[]): void;
}

/** The figures of a cluster, as this member sees it. Without a cluster there are none. */
export function addClusterFigures({ gauge }: Figures, view: () => ClusterView): void {
  const own = () => {
    const { name, members } = view();
    return members.find((member) => member.name === name);
  };
  gauge('cluster_leader', 'Whether this member leads the cluster.', (set) => set(view().role === 'leader' ? 1 : 0));
  gauge('cluster_up', 'Whether the cluster answers this member.', (set) => set(view().awayAt === null ? 1 : 0));
  gauge('cluster_quorum', 'Whether enough copies of the log are current for changes.', (set) => {
    const servers = view().servers ?? [];
    const current = servers.filter(({ isCurrent }) => isCurrent).length;
    set(servers.length > 0 && current >= quorumOf(servers) ? 1 : 0);
  });
  gauge('cluster_lag_events', 'Events that the log of this member lacks.', (set) => set(own()?.lag ?? 0));
  gauge('cluster_lag_seconds', 'How long the log of this member has been behind; 0 = it is not.', (set) =>
    set((own()?.lagMs ?? 0) / 1000),
  );
  gauge(
    'cluster_members',
    'Members by state.',
    (set) => {
      for (const state of ['running', 'away', 'stopped'] as const)
        set({ state }, view().members.filter((member) => member.state === state).length);
    },
    ['state'],
  );
  gauge('cluster_clock_seconds', "How far the clock of this member is ahead of the leader's.", (set) =>
    set((own()?.clockMs ?? 0) / 1000),
  );
  gauge('cluster_missing_files', 'Files of the core that this machine could not install.', (set) =>
    set(own()?.missingFiles.length ?? 0),
  );
  gauge('cluster_outdated', 'Whether this member has stopped at an event that only a newer release knows.', (set) =>
    set((own()?.unknownAt ?? null) === null ? 0 : 1),
  );
  gauge(
    'cluster_stream_damaged',
    'Whether the stream is damaged, so that changes are refused until it is rebuilt.',
    (set) => set(view().fault === null ? 0 : 1),
  );
  gauge('cluster_last_election_seconds', 'When the leader last changed, in seconds since 1970; 0 = never.', (set) =>
    set(view().electedAt / 1000),
  );
  gauge('cluster_stream_sequence', 'The last message of the stream that this member has.', (set) =>
    set(view().sequence),
  );
  gauge(
    'cluster_confirmed_position',
    'The last event that the cluster has confirmed to this leader; 0 = it follows.',
    (set) => set(view().confirmed ?? 0),
  );
}
