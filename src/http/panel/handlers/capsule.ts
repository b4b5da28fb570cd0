import { Rejection, reject } from '../../../commands/rejection.js';
import { message } from '../../../messages/message.js';
import type { Topic } from '../../../projections/capsule/capsule.js';
import type { Needs } from '../context.js';
import type { capsuleRoutes } from '../contract/capsule.js';
import type { Handlers } from '../mount.js';
import { Download } from '../outcomes.js';

export const capsuleHandlers: Handlers<typeof capsuleRoutes, Needs<'scans' | 'audit'>> = {
  async capsule({ query: { around, client } }, { scans, audit }) {
    if ((around === 0) === (client === '')) return reject('INPUT_INVALID', { problems: [message('capsule.oneTopic')] });
    const { position: head } = audit.log.head();
    if (around > head) return reject('EVENT_UNKNOWN', { position: around, head });
    const file = await scans.capsule(client === '' ? { around } : clientNamed(client), head);
    if (file === null) return reject('CLIENT_NOT_FOUND', { client });
    if (file instanceof Rejection) return file;
    // An email has no place in the name of a file without names.
    return new Download({
      ...file,
      name: `bug-report-${client === '' ? `event-${around}` : `position-${head}`}.jsonl`,
    });
  },
};

function clientNamed(client: string): Topic {
  const [, number] = /^#(\d{1,15})$/.exec(client) ?? [];
  return number === undefined ? { email: client } : { client: Number(number) };
}
