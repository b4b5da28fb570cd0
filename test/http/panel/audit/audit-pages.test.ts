import { describe, expect, it } from 'vitest';
import type { EventHeader } from '../../../../src/events/log/log-search.js';
import { AuditPages, SessionEnded } from '../../../../src/http/panel/audit.js';
import { render } from '../../../../src/messages/render.js';
import type { AuditFilter } from '../../../../src/projections/audit/audit-search.js';
import { LogReadModels } from '../../../../src/projections/read-models.js';
import { DAY, inboundDraft, one, userId } from '../../../kit/builders.js';
import { History } from '../../../kit/history/history.js';
import { busOver, TestLog } from '../../../kit/log.js';

const EVERYTHING: AuditFilter = {
  ...{ types: null, actorKind: null, actorName: '', ip: '', from: 0, to: Number.MAX_SAFE_INTEGER },
  ...{ clients: null, inbound: 0, node: 0 },
};
const say = (text: Parameters<typeof render>[0]): string => render(text, 'en');
const never = new AbortController().signal;

/** A log with one `InboundDisabled` at its beginning and one at its end. */
function start(requestMs: number) {
  const test = new TestLog();
  const bus = busOver(test.log, test.clock);
  const { must } = bus;
  must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  must({ type: 'SetInboundEnabled', data: { inbound: one, enabled: false } });
  for (let n = 0; n < 2500; n += 1) must({ type: 'ResetInboundTraffic', data: { inbound: one } });
  must({ type: 'SetInboundEnabled', data: { inbound: one, enabled: true } });
  must({ type: 'SetInboundEnabled', data: { inbound: one, enabled: false } });
  return { test, bus, audit: new AuditPages(test.log.search, new LogReadModels(test.log), requestMs) };
}

describe('a page of the audit', () => {
  it('ends after a while with the position to continue from, also without an event', async () => {
    const { audit, test } = start(0);
    const filter = { ...EVERYTHING, types: new Set(['InboundDisabled']) };
    const pages: { found: readonly EventHeader[]; next: number }[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; before !== 0; before = pages.at(-1)?.next ?? 0)
      pages.push(await audit.page(filter, { before, after: 0, limit: 10 }, never));
    expect(pages.some(({ found, next }) => found.length === 0 && next > 0)).toBe(true);
    const found = pages.flatMap((page) => page.found);
    expect(found.map(({ position }) => position)).toStrictEqual([test.log.head().position, 2]);
  });

  it('ends when the caller is gone', async () => {
    const { audit } = start(60_000);
    const filter = { ...EVERYTHING, types: new Set(['LogLossAccepted']) };
    const range = { before: Number.MAX_SAFE_INTEGER, after: 0, limit: 10 };
    expect(await audit.page(filter, range, AbortSignal.abort())).toStrictEqual({ found: [], next: 0 });
  });
});

describe('an export of the audit', () => {
  it('breaks off when the session has ended', async () => {
    const { audit } = start(60_000);
    const lines: string[] = [];
    const options = { format: 'jsonl', say, isValid: () => lines.length < 2 } as const;
    const read = async (): Promise<void> => {
      for await (const text of audit.lines(EVERYTHING, options, never)) lines.push(text);
    };
    await expect(read()).rejects.toThrow(SessionEnded);
    expect(lines.join('').trimEnd().split('\n')).toHaveLength(60);
  });
});

describe('an event without its payload', () => {
  it('has its time and actor, and says that the details were removed', async () => {
    const { audit, test, bus } = start(60_000);
    const { must } = bus;
    must({ type: 'CreateUser', data: { username: 'ishmael', passwordHash: 'hash' } });
    const session = { idHash: 'a'.repeat(64), csrfToken: 'token', device: '' };
    const loggedIn = { user: userId(1), epoch: 0, session, expiresAt: test.clock.now() + DAY };
    const [event] = test.append({ type: 'LoggedIn', data: loggedIn });
    test.clock.advance(30 * DAY);
    new History(bus, test.log).rollUp(DAY);
    const header = audit.log.header(event?.position ?? 0);
    if (!header) throw new Error('the event has no header');
    const [entry] = await audit.entries([header], say);
    expect(entry).toMatchObject({
      type: 'LoggedIn',
      what: 'LoggedIn: the details were summed up after the retention time and removed',
      actor: { name: 'root', ip: '203.0.113.7' },
    });
    expect(audit.json(header, undefined)).toMatchObject({ type: 'LoggedIn', data: null });
  });
});
