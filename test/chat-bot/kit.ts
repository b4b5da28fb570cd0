import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { onTestFinished } from 'vitest';
import { createWeb } from '../../src/adapters/web/web.js';
import { createChatBot } from '../../src/app/chat-bot.js';
import { pause } from '../../src/chat-bot/pause.js';
import { Refusals } from '../../src/commands/access/refusals.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { type BackupFile, type BackupStatus, type Backups } from '../../src/commands/ports/backups.js';
import type { HostReading } from '../../src/commands/ports/host.js';
import type { Rejection } from '../../src/commands/rejection.js';
import type { RecordedEvent } from '../../src/events/catalog.js';
import { Place } from '../commands/reactors/kit.js';
import { inboundDraft, userId } from '../kit/builders.js';
import { type BotServer, type Shown, startBotServer } from '../kit/real/servers/bot-server.js';
import { until as waitUntil } from '../kit/wait.js';

export const ADMIN = 71;
export const OTHER_ADMIN = 72;
export const GROUP = -1001;
export const STRANGER = 666;

/** An inbound with number 1. */
const addInbound = (
  clients: NonNullable<Parameters<typeof inboundDraft>[0]>['clients'] & object,
  remark = 'first',
): AnyCommand => ({
  type: 'AddInbound',
  data: { owner: userId(1), ...inboundDraft({ clients, spec: { remark } }) },
});

const host: HostReading = {
  ...{ cpu: 12, cpuCores: 2, logicalPro: 2, cpuSpeedMhz: 1 },
  ...{
    mem: { current: 2 ** 30, total: 2 ** 32 },
    swap: { current: 0, total: 0 },
    disk: { current: 5, total: 2 ** 40 },
  },
  ...{ netIO: { up: 1, down: 2 }, netTraffic: { sent: 1, recv: 2 }, tcpCount: 1, udpCount: 1 },
  ...{ load: { load1: 0.5, load5: 0, load15: 0 }, uptime: 90_000, publicIP: { ipv4: 'N/A', ipv6: 'N/A' } },
  ...{ appStats: { threads: 1, mem: 1 }, missing: [] },
};

interface Options {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly clients?: Parameters<typeof addInbound>[0];
  /** Of the inbound. */
  readonly remark?: string;
  readonly backup?: Partial<BackupFile>;
  readonly create?: Backups['create'];
  /** That the cluster has not confirmed the last change. */
  readonly unconfirmed?: Rejection | null;
  readonly lastGood?: BackupStatus['lastGood'];
  readonly server?: BotServer;
}

/** A panel with a core of straw whose bot talks, over real sockets, to a server that speaks the bot API. */
export async function startBot({
  settings = {},
  clients = [],
  remark = 'first',
  backup = {},
  create,
  lastGood = null,
  unconfirmed = null,
  server: own,
}: Options = {}) {
  const server = own ?? (await startBotServer());
  server.open(ADMIN, OTHER_ADMIN, GROUP);
  const place = await new Place().open();
  const { panel } = place;
  place.must({ type: 'CreateUser', data: { username: 'root', passwordHash: '' } }, addInbound(clients, remark));
  const readings = new Subject<HostReading>();
  const removed: string[] = [];
  const path = join(place.root, 'backup.db');
  writeFileSync(path, 'the whole state');
  const file: BackupFile = {
    ...{ path, name: 'portolan-2026-11-21-position-7.db', bytes: 15, position: 7, sealed: false },
    ...backup,
    remove: () => void removed.push(path),
  };
  const make = () =>
    createChatBot(
      panel,
      {
        web: createWeb({ allowPrivate: true }),
        host: { latest: host, readings$: readings },
        backups: {
          create: create ?? (async () => file),
          latest: () => ({ last: null, lastGood, next: null, late: false }),
        },
        refusals: new Refusals(panel.now, panel.dispatch),
        confirmed: async () => unconfirmed,
        version: '1.2.3',
        warn: (message, fields) => void place.warnings.push(`${message} ${JSON.stringify(fields)}`),
      },
      { pace: { delayMs: 5, gapMs: 40 }, pause: (ms, signal) => pause(ms / 50, signal) },
    );
  const { bot, delivery } = make();
  const change = (changes: Record<string, unknown>): void => place.must({ type: 'ChangeSettings', data: { changes } });
  change({
    ...{ chatBotEnable: true, chatBotToken: server.token, chatBotAPIServer: server.url },
    ...{ chatBotChatId: `${ADMIN}, ${OTHER_ADMIN}, ${GROUP}`, timeLocation: 'UTC' },
    // Schedules follow the clock of the system: the daily report must not come in between at midnight.
    ...{ chatBotRunTime: '@every 999h', ...settings },
  });
  bot.begin();
  onTestFinished(async () => {
    bot.stop();
    await place.close(false).catch(() => undefined);
    await server.stop();
  });
  let mark = panel.log.head().position;
  const last = (chat = ADMIN): Shown | undefined => server.chat(chat).at(-1);
  return {
    server,
    place,
    bot,
    delivery,
    make,
    change,
    removed,
    last,
    /** Readings of the processors, in percent. */
    busy: (...cpu: readonly number[]) => cpu.forEach((one) => readings.next({ ...host, cpu: one })),
    look: (by = bot): void => by.checkWarnings(),
    mark: (): void => void (mark = panel.log.head().position),
    /** Since the mark. */
    appended: (): readonly RecordedEvent[] => panel.log.read(mark, 1000),
    /** The replies to a message. */
    ask: async (text: string, from = ADMIN, chat = from): Promise<Shown> => {
      const before = server.chat(chat).length;
      server.write(from, text, { chat });
      return until(() => server.chat(chat)[before], `an answer to ${text}`);
    },
    /** Presses, and waits until the message is another one. */
    press: async (button: string, message = last(), from = ADMIN): Promise<Shown> => {
      if (!message) throw new Error('there is no message');
      const before = message.text;
      server.press(from, ADMIN, message, button);
      return until(() => (message.text === before ? undefined : message), `the message changes after ${button}`);
    },
  };
}

/** The first thing that is there; waits for it. */
export const until = <T>(look: () => T | undefined | false | null, what: string): Promise<T> =>
  waitUntil(what, look, 5);
