import { expect, it } from 'vitest';
import { ignoredSettings } from '../../../../src/adapters/core/config/ignored-settings.js';
import type { JsonObject } from '../../../../src/lib/json.js';
import { render } from '../../../../src/messages/render.js';
import { defaultTemplate } from '../../../../src/projections/core/template.js';

it('the built-in template has no ignored setting', () => {
  expect(ignoredSettings(defaultTemplate)).toStrictEqual([]);
});

it.each<[string, JsonObject, RegExp]>([
  ['an api of its own', { API: { tag: 'x' } }, /^"api" is replaced/],
  ['metrics of its own', { metrics: { listen: ':1' } }, /^"metrics" is replaced/],
  ['statistics with members', { stats: { x: 1 } }, /^"stats" is replaced/],
  ['an unknown section', { inboundDetour: [] }, /^"inbounddetour" is ignored/],
  ['the inbound of an api', { inbounds: [{ tag: 'api', port: 1 }] }, /^The inbound "api" is ignored/],
  ['a log elsewhere', { log: { access: '/var/log/mine.log' } }, /^"log.access" is replaced by mine.log/],
  ['a log with the name of none', { log: { error: '/etc/passwd' } }, /^"log.error" is replaced by error.log/],
  ['masked addresses', { log: { maskAddress: 'full' } }, /^"log.maskAddress" is ignored/],
  ['counters off', { policy: { system: { statsInboundUplink: false } } }, /^"policy.system" cannot turn/],
  ['counters of users off', { policy: { levels: { '0': { StatsUserUplink: false } } } }, /^"policy.levels.0" cannot/],
  ['a rule to the api', { routing: { rules: [{ outboundTag: 'api', inboundTag: ['api'] }] } }, /^Rules to "api"/],
])('an ignored setting is reported: %s', (_, template, words) => {
  const notes = ignoredSettings(template).map((note) => render(note, 'en'));
  expect(notes).toStrictEqual([expect.stringMatching(words)]);
});

it('an effective or redundant setting is not reported', () => {
  const template = {
    log: { access: 'none', error: 'mine.log', loglevel: 'debug' },
    stats: {},
    policy: { levels: { '0': { handshake: 2, statsUserUplink: true } }, system: { statsInboundUplink: true } },
    routing: { rules: [{ outboundTag: 'direct' }] },
  };
  expect(ignoredSettings(template)).toStrictEqual([]);
});
