import { setImmediate } from 'node:timers/promises';
import { type Client, mayConnect } from '../../events/client/client-document.js';
import type { ReadModels } from '../../projections/read-models.js';

/** Lines between two yields to the event loop. */
const LINES_PER_TURN = 1000;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** Labels besides the email, and the value. */
  readonly values: (client: Client, read: ReadModels) => readonly (readonly [labels: string, value: number])[];
}

const families: readonly Family[] = [
  {
    name: 'portolan_client_bytes_total',
    help: 'Bytes of a client on all machines; a reset sets them to zero.',
    type: 'counter',
    values(client, read) {
      const { up, down } = read.usage.client(client);
      return [
        [',direction="up"', up],
        [',direction="down"', down],
      ];
    },
  },
  {
    name: 'portolan_client_cap_bytes',
    help: 'What a client may use, up and down together; 0 = no cap.',
    type: 'gauge',
    values: ({ spec }) => [['', spec.capBytes]],
  },
  {
    name: 'portolan_client_expiry_timestamp_seconds',
    help: 'When a client expires, in seconds since 1970; 0 = never, below 0 = so long after its first use.',
    type: 'gauge',
    values: ({ spec }) => [['', spec.expiresAt / 1000]],
  },
  {
    name: 'portolan_client_allowed',
    help: 'Whether a client may connect through one of its inbounds.',
    type: 'gauge',
    values: (client, read) => [['', read.clients.siblings(client).some(mayConnect) ? 1 : 0]],
  },
];

/**
 * The figures of each client, by email, in the text format of Prometheus. They come in chunks, with a yield after each: a
 * scrape of 25,000 clients is about 10 MB and must not block other requests.
 */
export async function* clientFigures(read: ReadModels): AsyncGenerator<string> {
  for (const { name, help, type, values } of families) {
    let lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
    for (const client of [...read.clients.all()]) {
      if (!read.clients.isFirst(client)) continue;
      const email = labelText(client.identity.email);
      for (const [labels, value] of values(client, read)) lines.push(`${name}{email="${email}"${labels}} ${value}`);
      if (lines.length < LINES_PER_TURN) continue;
      yield `${lines.join('\n')}\n`;
      lines = [];
      await setImmediate();
    }
    yield lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  }
}

/** Escaped for a quoted label value in the text format of Prometheus. */
function labelText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
