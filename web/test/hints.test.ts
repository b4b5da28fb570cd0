import { describe, expect, it } from 'vitest';
import { hintsOf, proposalAt } from '../src/screens/core/template/hints';

/** The panel's sources are written for Node, whose types the sources of the page do not have. */
const TEMPLATE: string = '../../src/projections/core/template.js';

/** The proposals where `|` stands in the text. */
function proposals(text: string): readonly string[] {
  const position = text.indexOf('|');
  return proposalAt(text.replace('|', ''), position)?.options ?? [];
}

describe('the completion of the template', () => {
  it.each([
    ['{"|"}', 'routing'],
    ['{"log": {"lo|', 'loglevel'],
    ['{"log": {"loglevel": "|"}}', 'warning'],
    ['{"routing": {"rules": [{"type": "field", "|"}]}}', 'outboundTag'],
    ['{"outbounds": [{"protocol": "|"}]}', 'wireguard'],
    ['{"outbounds": [{"streamSettings": {"network": "ws", "security": "|', 'reality'],
    ['{"outbounds": [{"streamSettings": {"sockopt": {"|', 'v6only'],
    ['{"outbounds": [{"streamSettings": {"SockOpt": {"|', 'tcpCongestion'],
    ['{"outbounds": [{"settings": {"finalRules": [{"action": "|', 'block'],
    ['{"inbounds": [{"settings": {"fallbacks": [{"|', 'dest'],
    ['{"inbounds": [{"protocol": "|', 'hysteria'],
    ['{"policy": {"levels": {"3": {"|', 'bufferSize'],
    ['{"api": {"services": ["|', 'StatsService'],
    ['{"dns": {"servers": ["1.1.1.1", {"address": "a", "|"}]}}', 'queryStrategy'],
  ])('%s', (text, wanted) => {
    expect(proposals(text)).toContain(wanted);
  });

  it('of a reference are the names in the same text', () => {
    const text = '{"outbounds": [{"tag": "a"}, {"tag": "b"}], "routing": {"rules": [{"outboundTag": "|"}]}}';
    expect(proposals(text)).toStrictEqual(['a', 'b']);
  });

  it('is silent outside of quotes, and where nothing is known', () => {
    expect(proposals('{| "log": {}}')).toStrictEqual([]);
    expect(proposals('{"unknown": {"|"}}')).toStrictEqual([]);
  });
});

describe('the hints in the template', () => {
  const hints = (value: object) => hintsOf(JSON.stringify(value)).map(({ written, meant }) => [written, meant]);

  it('name what was probably meant', () => {
    expect(hints({ outbonds: [], log: { loglevle: 'warnning' } })).toStrictEqual([
      ['outbonds', 'outbounds'],
      ['loglevle', 'loglevel'],
    ]);
    expect(hints({ log: { loglevel: 'warnning' } })).toStrictEqual([['warnning', 'warning']]);
  });

  it('find references to what does not exist', () => {
    const rules = [{ outboundTag: 'direct' }, { outboundTag: 'gone' }, { balancerTag: 'none' }];
    expect(hints({ outbounds: [{ tag: 'direct' }], routing: { rules } })).toStrictEqual([
      ['gone', ''],
      ['none', ''],
    ]);
  });

  it('find none in the built-in template', async () => {
    const { defaultTemplate } = (await import(TEMPLATE)) as { readonly defaultTemplate: object };
    expect(hints(defaultTemplate)).toStrictEqual([]);
  });

  it('do not concern options that only the core knows, letter case, or values of admins', () => {
    const template = { Log: { logLevel: 'Warning' }, future: { option: 1 }, outbounds: [{ tag: 'prtocol', mine: 1 }] };
    expect(hints(template)).toStrictEqual([]);
  });
});
