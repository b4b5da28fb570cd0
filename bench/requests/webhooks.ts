import { createWeb } from '../../src/adapters/web/web.js';
import { createWebhooks } from '../../src/app/webhooks.js';
import { EventFeed } from '../../src/http/live/event-feed.js';
import { emptyServer } from '../kit/empty.js';
import { draftOf, one, populate } from '../kit/fleet.js';
import { newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench } from '../kit/row.js';
import { sleep } from '../kit/time.js';
import { processorTime } from '../kit/turns.js';

const CLIENTS = 1000;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Deliveries of events to a receiver on this machine, one after the other. */
export const webhooks: Bench = async ({ quick }) => {
  const count = quick ? 500 : 5000;
  const inside = await openInside(newFolder());
  const receiver = await emptyServer();
  const { panel, run } = inside;
  populate(inside, CLIENTS);
  const { deliveries } = createWebhooks(panel, {
    web: createWeb({ allowPrivate: true }),
    feed: new EventFeed(panel.log, panel.read),
    confirmed: async () => true,
    warn: (text, fields) => console.error(text, fields ?? ''),
  });
  try {
    const url = `http://127.0.0.1:${receiver.port}/hook`;
    run({ type: 'AddWebhook', data: { name: 'bench', url, types: ['ClientUpdated'], after: null, secret: SECRET } });
    for (let i = 0; i < count; i += 1) {
      const draft = draftOf(1 + (i % CLIENTS));
      const changed = { ...draft, spec: { ...draft.spec, capBytes: 1e12 + i } };
      run({ type: 'UpdateClient', data: { inbound: one, client: { email: draft.identity.email }, draft: changed } });
    }
    const [id = 1] = panel.read.records.webhooks().byId.keys();
    const [begin, cpu] = [performance.now(), processorTime()];
    deliveries.begin();
    while ((deliveries.status(id)?.delivered ?? 0) < count) {
      const problem = deliveries.status(id)?.problem;
      if (problem) throw new Error(`the receiver did not accept an event: ${JSON.stringify(problem)}`);
      await sleep(5);
    }
    const note = `${Math.round((1000 * count) / (performance.now() - begin))} a second; read, signed, sent and noted`;
    return [
      {
        name: 'webhooks: one delivery',
        measured: (processorTime() - cpu) / count,
        unit: 'ms',
        target: { most: 2 },
        note: `${note}; processor time of the loop`,
      },
    ];
  } finally {
    await deliveries.stop();
    receiver.stop();
    await inside.close();
    removeFolder(inside.folder);
  }
};
