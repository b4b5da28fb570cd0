import { array, assert as check, property } from 'fast-check';
import { expect, it } from 'vitest';
import { hasClients } from '../../../../src/commands/client/credentials.js';
import type { Inbound } from '../../../../src/events/inbound/inbound-document.js';
import { wireClient } from '../../../../src/http/panel/codec/client.js';
import { clientTraffic } from '../../../../src/http/panel/codec/client-traffic.js';
import { inboundPage, inboundPages } from '../../../../src/http/panel/codec/inbound-pages.js';
import { inboundReply } from '../../../../src/http/panel/codec/inbound-wire.js';
import { atOnce } from '../../../../src/lib/time/slices.js';
import type { ReadModels } from '../../../../src/projections/read-models.js';
import { clientAdded, clientNumber, draft, inboundAdded } from '../../../kit/builders.js';
import { playedLogs, steps } from '../../../kit/history/history.js';

/** The reply as one object. */
function plain(read: ReadModels, inbound: Inbound): object {
  const clients = read.clients.ofInbound(inbound.id);
  const { clients: _clients, fallbacks, ...rest } = inbound.config.settings;
  const whole = fallbacks === null || fallbacks === undefined ? rest : { ...rest, fallbacks };
  const settings = hasClients(inbound.protocol) ? { clients: clients.map(wireClient), ...whole } : whole;
  const stats = clients.map((client) => clientTraffic(read, client));
  const {
    clientStats,
    settings: text,
    ...others
  } = inboundReply(read, inbound, stats, JSON.stringify(settings, null, 2));
  return { ...others, clientStats, settings: text };
}

const textOf = ({ pieces }: { readonly pieces: readonly Uint8Array[] }): string => Buffer.concat(pieces).toString();

it('pages of a list are the bytes of plain JSON, after any history', () => {
  const open = playedLogs();
  let listed = 0;
  check(
    property(array(steps(30), { minLength: 1, maxLength: 4 }), (pieces) => {
      const { journal, read, player } = open();
      const clients = Array.from({ length: 300 }, (_, i) => clientAdded(draft(`c${i}`, 100 + i), clientNumber(i + 1)));
      journal.append(inboundAdded(), ...clients);
      for (const history of pieces) {
        const all = read.inbounds.all();
        // Megabytes: a comparison by the framework would print them.
        expect(textOf(atOnce(inboundPages(read, all))) === JSON.stringify(all.map((one) => plain(read, one)))).toBe(
          true,
        );
        for (const one of all)
          expect(textOf(atOnce(inboundPage(read, one))) === JSON.stringify(plain(read, one))).toBe(true);
        listed += all.length;
        player.play(history);
      }
      journal.log.close();
    }),
    { numRuns: 30 },
  );
  expect(listed).toBeGreaterThan(60);
});
