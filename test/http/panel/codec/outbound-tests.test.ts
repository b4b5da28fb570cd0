import { describe, expect, it } from 'vitest';
import type { OutboundProbe, ProbeResult } from '../../../../src/commands/ports/probe.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { coreSettingHandlers } from '../../../../src/http/panel/handlers/core/settings.js';
import { startPanel } from './panel.js';

const good: ProbeResult = { success: true, delay: 7, mode: 'http', statusCode: 204 };

/** A panel, and the requests to its probe. */
function open(problem: string | null = null) {
  const asked: unknown[] = [];
  const probe: OutboundProbe = {
    dial: async (outbound) => {
      asked.push(outbound);
      return { ...good, mode: 'tcp' };
    },
    request: async (what) => {
      asked.push(what);
      return good;
    },
  };
  const web = {
    problem: async (url: string) => {
      asked.push(url);
      return problem;
    },
  } as never;
  const panel = startPanel({ probe, web, signal: new AbortController().signal });
  const test = (body: object) => panel.call(tables.coreSettings, coreSettingHandlers, 'testOutbound', { body });
  return { ...panel, asked, test };
}
const usual = 'https://www.google.com/generate_204';
const direct = { tag: 'direct', protocol: 'freedom' };

describe('testOutbound', () => {
  it('requests the stored URL, after it was checked, through the outbound and its dialer proxies', async () => {
    const panel = open();
    const others = [direct, { tag: 'other' }];
    const answer = await panel.test({ outbound: JSON.stringify(direct), allOutbounds: JSON.stringify(others) });
    expect(answer).toStrictEqual({ success: true, msg: '', obj: good });
    expect(panel.asked).toStrictEqual([usual, { outbound: direct, others, url: usual }]);
    // As 3xui-api-client calls it.
    await panel.test({ outbound: direct, outbounds: others });
    expect(panel.asked.at(-1)).toStrictEqual({ outbound: direct, others, url: usual });
    panel.dispatch({ type: 'ChangeCoreTemplate', data: { template: {}, outboundTestUrl: 'http://probe.example/' } });
    await panel.test({ outbound: direct, mode: 'http' });
    expect(panel.asked.at(-1)).toStrictEqual({ outbound: direct, others: [], url: 'http://probe.example/' });
    expect(panel.log.events).toHaveLength(1);
  });

  it('only connects in TCP mode, and ignores the URL', async () => {
    const panel = open('it is private');
    expect(await panel.test({ outbound: JSON.stringify(direct), mode: 'tcp', allOutbounds: '{' })).toMatchObject({
      success: true,
      obj: { mode: 'tcp' },
    });
    expect(panel.asked).toStrictEqual([direct]);
  });

  it('sends no request if the URL is not public', async () => {
    const panel = open('10.0.0.1 is not a public address');
    expect(await panel.test({ outbound: direct })).toStrictEqual({
      success: false,
      msg: 'The URL of outbound tests cannot be used: 10.0.0.1 is not a public address',
      obj: null,
    });
    expect(panel.asked).toStrictEqual([usual]);
  });

  it('requires an outbound', async () => {
    const panel = open();
    for (const outbound of [undefined, null, '', '  '])
      expect(await panel.test({ outbound })).toMatchObject({ success: false, msg: 'outbound is required' });
  });

  const codeFor = (error: string) => `input.outbound${error.includes('allOutbounds') ? 's' : ''}Invalid`;

  it.each<[unknown, unknown, string]>([
    ['{', '', 'Invalid outbound JSON: it is not valid JSON'],
    ['[]', '', 'Invalid outbound JSON: it must be a JSON object'],
    [7, '', 'Invalid outbound JSON: it must be a JSON object'],
    [`${'{"a":'.repeat(99)}1${'}'.repeat(99)}`, '', 'Invalid outbound JSON: it is nested deeper than 64 levels'],
    [direct, '[', 'Invalid allOutbounds JSON: it is not valid JSON'],
    [direct, '{}', 'Invalid allOutbounds JSON: it must be a JSON list of objects'],
    [direct, '[1]', 'Invalid allOutbounds JSON: it must be a JSON list of objects'],
  ])('returns the error of %j and %j', async (outbound, allOutbounds, error) => {
    const panel = open();
    expect(await panel.test({ outbound, allOutbounds })).toStrictEqual({
      success: true,
      msg: '',
      obj: { success: false, delay: 0, mode: 'http', error, errorCode: codeFor(error) },
    });
    expect(panel.asked).toStrictEqual([]);
  });
});
