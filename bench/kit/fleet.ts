import type { ClientDraft } from '../../src/commands/client/credentials.js';
import type { Growth } from '../../src/commands/traffic/traffic.js';
import { InboundId, UserId } from '../../src/events/ids.js';
import type { InsidePanel } from './inside.js';

export const one = InboundId.parse(1);
export const emailOf = (n: number): string => `client-${n}@example.org`;
export const subIdOf = (n: number): string => `sub${String(n).padStart(13, '0')}`;
export const idOf = (n: number): string => `11111111-2222-4333-8444-${String(n).padStart(12, '0')}`;

/** Client `n` of a fleet, with limits that are never reached. */
export function draftOf(n: number): ClientDraft {
  return {
    spec: {
      enabled: true,
      capBytes: 5e15,
      expiresAt: 4_000_000_000_000,
      limitIp: 0,
      flow: '',
      security: 'auto',
      method: '',
      renewalDays: 0,
      reverseTag: '',
    },
    identity: { email: emailOf(n), subId: subIdOf(n), comment: '', tgId: 0, extra: {} },
    credential: { id: idOf(n), password: '', auth: '' },
  };
}

export function draftsOf(first: number, count: number): ClientDraft[] {
  return Array.from({ length: count }, (_, i) => draftOf(first + i));
}

/** Inbound 1 and its clients 1 to `count`. */
export function populate({ run }: InsidePanel, count: number, port = 20_443): void {
  const spec = {
    remark: 'bench',
    listen: '127.0.0.1',
    port,
    protocol: 'vless',
    tag: 'bench',
    capBytes: 0,
    expiresAt: 0,
    trafficReset: 'never',
    sniffing: {},
  } as const;
  const config = {
    settings: { decryption: 'none', encryption: 'none', fallbacks: [] },
    stream: { network: 'tcp', security: 'none', tcpSettings: { header: { type: 'none' } } },
  };
  run({ type: 'AddInbound', data: { owner: UserId.parse(1), spec, enabled: true, config, clients: [] } });
  for (let first = 1; first <= count; first += 1000) {
    run({ type: 'AddClients', data: { inbound: one, clients: draftsOf(first, Math.min(1000, count - first + 1)) } });
  }
}

/**
 * Traffic of `count` of `of` clients between two polls: little for most, much for some. `who` is between 0 and 1 and selects
 * them; the same number selects the same clients.
 */
export function growths(chance: () => number, count: number, of: number, who = chance()): Growth[] {
  const stride = of / count;
  return Array.from({ length: count }, (_, i) => {
    const n = 1 + Math.floor((i + who) * stride);
    const down = Math.floor(10 ** (2 + 5 * chance()));
    return [Math.min(n, of), Math.floor(down * 0.1 * chance()) + 60, down];
  });
}

/** One poll: clients, and their sum at the inbound and the outbound. */
export function poll(clients: readonly Growth[]) {
  const up = clients.reduce((all, [, own]) => all + own, 0);
  const down = clients.reduce((all, [, , own]) => all + own, 0);
  const [inbounds, outbounds]: [Growth[], Growth<string>[]] = [[[one, up, down]], [['direct', up, down]]];
  return {
    type: 'RecordTraffic' as const,
    data: { run: 'bench', clients, inbounds, outbounds },
  };
}
