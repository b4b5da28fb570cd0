import type { PanelServices } from '../../../src/http/panel/context.js';

/** All services by name, for tests that replace one of them. */
export type FlatServices = Pick<PanelServices, 'read' | 'now'> &
  PanelServices['core'] &
  PanelServices['machine'] &
  PanelServices['accounts'] &
  PanelServices['nodes'] &
  PanelServices['releases'] &
  PanelServices['backup'] &
  PanelServices['history'] &
  PanelServices['server'] &
  PanelServices['outside'] &
  PanelServices['webhooks'];

/** The services of a panel by name. */
export function flat(services: PanelServices): FlatServices {
  const { read, now, core, machine, accounts, nodes, releases, backup, history, server, outside } = services;
  return {
    ...{ read, now, ...core, ...machine, ...accounts, ...nodes, ...releases },
    ...{ ...backup, ...history, ...server, ...outside, ...services.webhooks },
  };
}

/** The services as the panel has them: grouped by subject. */
export function bySubject(all: FlatServices): PanelServices {
  const { read, now } = all;
  return {
    ...{ read, now },
    ...{ core: all, machine: all, accounts: all, nodes: all, releases: all },
    ...{ backup: all, history: all, server: all, outside: all, webhooks: all },
  };
}
