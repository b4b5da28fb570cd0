import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Subject } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWeb } from '../../../../src/adapters/web/web.js';
import type { WebRequest } from '../../../../src/commands/ports/web.js';
import { TrafficReporter } from '../../../../src/commands/reactors/traffic/traffic-report.js';
import type { TrafficReportCommand } from '../../../../src/commands/traffic/traffic-report.js';
import type { PanelEvent, RecordedEvent } from '../../../../src/events/catalog.js';
import { NodeId } from '../../../../src/events/ids.js';
import { NodeTrafficRecorded } from '../../../../src/events/node/node-sync.js';
import { TrafficRecorded } from '../../../../src/events/traffic/traffic.js';
import { message } from '../../../../src/messages/message.js';
import { recorded } from '../../../kit/spec.js';

interface Asked {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly body: { clientTraffics: Record<string, unknown>[]; inboundTraffics: Record<string, unknown>[] };
}

/** A receiver on loopback with configurable answers, which stores the requests. */
async function receiver(answer: RequestListener = (_req, res) => void res.writeHead(204).end()) {
  const asked: Asked[] = [];
  const does = { answer };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
      asked.push({ method: req.method, type: req.headers['content-type'], body });
      does.answer(req, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  /** The total upload, in bytes, that it received for a client. */
  const told = (email: string) =>
    asked
      .flatMap(({ body }) => body.clientTraffics)
      .reduce((sum, row) => sum + (row['email'] === email ? Number(row['up']) : 0), 0);
  return { asked, does, told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metric` };
}

const NAMES = new Map([
  [1, 'anna'],
  [2, 'bert'],
]);

/** `timeoutMs` stands for the 10 s of a receiver that does not answer. */
async function start(uri: string, { allowPrivate = true, timeoutMs = 10_000, on = true } = {}) {
  const changed$ = new Subject<readonly RecordedEvent[]>();
  const dispatched: TrafficReportCommand[] = [];
  const warned: (object | undefined)[] = [];
  const requests: WebRequest[] = [];
  const web = createWeb({ allowPrivate });
  const clock = { ahead: 0 };
  const settings = { externalTrafficInformEnable: on, externalTrafficInformURI: uri, pollSeconds: 0.01 };
  const reporter = new TrafficReporter({
    web: {
      request: (url, request = {}) => {
        requests.push(request);
        return web.request(url, { ...request, timeoutMs });
      },
    },
    settings: () => settings,
    changed$,
    emailOf: (client) => NAMES.get(client) ?? null,
    tagOf: (inbound) => (inbound === 7 ? 'inbound-443' : null),
    dispatch: (command) => dispatched.push(command),
    now: () => Date.now() + clock.ahead,
    warn: (_message, fields) => warned.push(fields),
  });
  reporter.begin();
  onTestFinished(() => reporter.stop());
  const happens = (event: PanelEvent): void => changed$.next(recorded([event]));
  return {
    reporter,
    settings,
    dispatched,
    warned,
    requests,
    later: (ms: number): void => void (clock.ahead += ms),
    /** `up` bytes of a client, by the core of this panel. */
    moves: (client: number, up: number): void =>
      happens(TrafficRecorded({ run: 'r', clients: [[client, up, 0]], inbounds: [], outbounds: [] })),
    happens,
  };
}

async function some(count: number, list: readonly unknown[]): Promise<void> {
  await expect.poll(() => list.length).toBeGreaterThanOrEqual(count);
}

describe('a receiver of traffic figures', () => {
  it('receives the traffic of this panel and its nodes after each poll in the format of 3x-ui, also when there was none', async () => {
    const { asked, url } = await receiver();
    const { happens, requests } = await start(url);
    happens(
      TrafficRecorded({
        run: 'r',
        clients: [
          [1, 100, 4000],
          [3, 5, 5],
        ],
        inbounds: [
          [7, 120, 4096],
          [8, 1, 1],
        ],
        outbounds: [['direct', 0, 9]],
      }),
    );
    happens(
      NodeTrafficRecorded({
        node: NodeId.parse(1),
        clients: [
          [1, 20, 96, 0, 0, 0, [], 0, 0],
          [2, 0, 0, 5, 5, 5, [], 0, 0],
        ],
        inbounds: [],
        anomalies: [],
      }),
    );
    await some(2, asked);
    const rest = { allTime: 0, expiryTime: 0, total: 0, reset: 0, lastOnline: 0 };
    expect(asked.slice(0, 2)).toStrictEqual([
      {
        method: 'POST',
        type: 'application/json; charset=UTF-8',
        body: {
          clientTraffics: [
            { id: 0, inboundId: 0, enable: false, email: 'anna', uuid: '', subId: '', up: 120, down: 4096, ...rest },
          ],
          inboundTraffics: [
            { IsInbound: true, IsOutbound: false, Tag: 'inbound-443', Up: 120, Down: 4096 },
            { IsInbound: false, IsOutbound: true, Tag: 'direct', Up: 0, Down: 9 },
          ],
        },
      },
      {
        method: 'POST',
        type: 'application/json; charset=UTF-8',
        body: { clientTraffics: [], inboundTraffics: [] },
      },
    ]);
    expect(requests[0]?.timeoutMs).toBe(10_000);
  });

  it('that rejects it receives one sum later, with a growing delay and one notification to the admins', async () => {
    const { asked, does, told, url } = await receiver((_req, res) => void res.writeHead(500).end());
    const { moves, dispatched, warned, later } = await start(url);
    moves(1, 10);
    await some(1, asked);
    await expect.poll(() => warned).toEqual([{ reason: 'the receiver responded with status 500' }]);
    moves(1, 5);
    later(1100);
    await some(2, asked);
    expect(told('anna')).toBe(10 + 5);
    expect(dispatched).toEqual([]);
    later(61_000);
    await some(3, asked);
    await expect.poll(() => dispatched).toHaveLength(1);
    later(61_000);
    await some(4, asked);
    expect(dispatched).toEqual([
      {
        type: 'RecordTrafficReportFailed',
        data: {
          firstFailedAt: expect.any(Number) as number,
          reason: message('network.receiverStatus', { status: 500 }),
        },
      },
    ]);
    asked.length = 0;
    does.answer = (_req, res) => void res.writeHead(200).end('thank you');
    later(61_000);
    await expect.poll(() => dispatched).toHaveLength(2);
    expect(dispatched[1]).toEqual({
      type: 'RecordTrafficReportRecovered',
      data: { firstFailedAt: dispatched[0]?.data.firstFailedAt },
    });
    await some(2, asked);
    expect(told('anna')).toBe(15);
    expect(warned).toHaveLength(1);
  });

  it('that times out after a long failure loses only the last delivery', async () => {
    const { asked, does, told, url } = await receiver((_req, res) => void res.writeHead(500).end());
    const { moves, later, warned } = await start(url, { timeoutMs: 300 });
    moves(1, 1000);
    await expect.poll(() => warned).toHaveLength(1);
    does.answer = () => undefined;
    moves(2, 1);
    later(1100);
    await some(2, asked);
    asked.length = 0;
    does.answer = (_req, res) => void res.writeHead(204).end();
    await expect.poll(() => (later(61_000), told('anna'))).toBe(1000);
    expect(told('bert')).toBe(0);
  });

  it('that does not answer delays nothing, and does not receive twice what it may have', async () => {
    const { asked, does, told, url } = await receiver(() => undefined);
    const { moves, later, warned } = await start(url, { timeoutMs: 300 });
    moves(1, 10);
    await some(1, asked);
    for (let n = 0; n < 1000; n += 1) moves(2, 1);
    await expect.poll(() => warned).toHaveLength(1);
    expect(asked).toHaveLength(1);
    does.answer = (_req, res) => void res.writeHead(204).end();
    later(1100);
    await expect.poll(() => told('bert')).toBe(1000);
    expect(told('anna')).toBe(10);
  });

  it('cannot redirect: that is a rejection', async () => {
    const other = await receiver();
    const { does, told, url } = await receiver((_req, res) => void res.writeHead(307, { location: other.url }).end());
    const { moves, later, warned } = await start(url);
    moves(1, 10);
    await expect.poll(() => warned).toEqual([{ reason: 'the receiver responded with status 307' }]);
    does.answer = (_req, res) => void res.writeHead(204).end();
    later(1100);
    await expect.poll(() => told('anna')).toBe(10 + 10);
    expect(other.asked).toEqual([]);
  });

  it('may send a huge response, which is not read', async () => {
    const { asked, told, url } = await receiver((_req, res) => void res.writeHead(200).end(Buffer.alloc(3_000_000)));
    const { moves, warned } = await start(url);
    moves(1, 10);
    await some(3, asked);
    expect(told('anna')).toBe(10);
    expect(warned).toEqual([]);
  });

  it('receives nothing at a private address', async () => {
    const { asked, url } = await receiver();
    const { moves, warned } = await start(url, { allowPrivate: false });
    moves(1, 10);
    const reason = 'the address of the receiver is private or invalid, so the panel does not connect to it';
    await expect.poll(() => warned).toEqual([{ reason }]);
    expect(asked).toEqual([]);
  });

  it('receives nothing while it is disabled, and nothing of that time later', async () => {
    const { asked, told, url } = await receiver();
    const { moves, settings } = await start(url, { on: false });
    moves(1, 10);
    settings.externalTrafficInformEnable = true;
    await some(2, asked);
    moves(1, 1);
    await expect.poll(() => told('anna')).toBe(1);
    expect(asked[0]?.body.clientTraffics).toEqual([]);
  });

  it('does not delay the stop of the panel', async () => {
    const { asked, url } = await receiver(() => undefined);
    const { reporter, dispatched, warned } = await start(url);
    await some(1, asked);
    await reporter.stop();
    expect([dispatched, warned]).toEqual([[], []]);
  });
});
