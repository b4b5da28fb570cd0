import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { renderToStaticMarkup } from 'react-dom/server';
import { initReactI18next } from 'react-i18next';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { InboundForm } from '../src/api/contract.generated';
import { type Json, valueAt, withValue } from '../src/model/json';
import { differences, merged } from '../src/model/merge';
import { type Draft, draftOf } from '../src/screens/inbounds/editor/draft';
import { edited } from '../src/screens/inbounds/editor/effects';
import { FormFields } from '../src/screens/inbounds/editor/FormFields';
import { missing, shown, shownFields, stored } from '../src/screens/inbounds/editor/values';
import inbounds from '../src/screens/inbounds/texts/en.json';

// The client wants a document, and the form asks the panel for nothing here.
vi.mock('../src/api/client', () => ({ api: {}, ApiError: Error }));

interface Body {
  readonly protocol: string;
  readonly settings: string;
  readonly streamSettings: string;
  readonly sniffing: string;
}
interface Kit {
  makeClient(): object;
  makeContext(given: object): object;
  inboundCases(context: object): { readonly name: string; body(port: number, clients: object[]): Body }[];
}
/** The kit is written for Node, whose types the sources of the page do not have. */
const KIT: string = '../../test/kit/real/inbounds.js';
const kit = (await import(KIT)) as Kit;
const certificate = { certFile: '/c.pem', keyFile: '/k.pem', pin: 'ab'.repeat(32) };
const context = kit.makeContext({ certificate, realityTarget: '127.0.0.1:443', targetPort: 80 });
const client = kit.makeClient();

/** Every inbound that the end-to-end tests drive, as the panel gives it to the form. */
const golden = kit.inboundCases(context).map(({ name, body }) => {
  const { settings, streamSettings, sniffing, protocol } = body(4433, [client]);
  const { clients: _clients, ...rest } = JSON.parse(settings) as Record<string, Json>;
  const form: InboundForm = {
    ...{ id: 1, version: 'v', remark: name, tag: 't', protocol, listen: '', port: 4433, enable: true, nodeId: 0 },
    ...{ total: 3 * 1024 ** 3 + 1, expiryTime: Date.UTC(2030, 1, 1, 12, 0, 7), trafficReset: 'never', clients: 1 },
    settings: rest,
    streamSettings: JSON.parse(streamSettings) as Record<string, Json>,
    sniffing: JSON.parse(sniffing) as Record<string, Json>,
  };
  return [name, draftOf(form)] as const;
});

beforeAll(async () => {
  await i18next.use(initReactI18next).init({
    ...{ lng: 'en', ns: ['inbounds'], resources: { en: { inbounds } }, keySeparator: false, nsSeparator: false },
    react: { useSuspense: false },
  });
});

function rendered(draft: Draft): { readonly html: string; readonly changes: readonly Draft[] } {
  const changes: Draft[] = [];
  const html = renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider>
        <FormFields
          draft={draft}
          aside={{}}
          isNew={false}
          onChange={(next) => changes.push(next)}
          onGenerate={() => undefined}
          problems={{}}
        />
      </MantineProvider>
    </QueryClientProvider>,
  );
  return { html, changes };
}

describe('the form of an inbound', () => {
  it.each(golden)('shows every field of %s, and changes nothing by showing it', (_, draft) => {
    const { html, changes } = rendered(draft);
    expect(changes).toStrictEqual([]);
    // Nodes and machines of a cluster are offered only where there are some.
    const named = shownFields(draft).filter(({ kind }) => !['node', 'machine', 'list', 'items'].includes(kind));
    const absent = named.filter(({ path }) => !html.includes(`name="${path}"`)).map(({ path }) => path);
    expect(absent).toStrictEqual([]);
    expect(missing(draft, 'missing')).toStrictEqual({});
  });

  it.each(golden)('reads back from every input of %s what it shows', (_, draft) => {
    for (const field of shownFields(draft)) {
      if (field.kind === 'items') continue;
      const after = edited(draft, field, shown(field, valueAt(draft, field.path)));
      expect([field.path, after]).toStrictEqual([field.path, draft]);
    }
  });

  it('removes a member that is cleared, and keeps headers with lists', () => {
    const [, draft] = golden.find(([name]) => name === 'vless-xhttp') ?? golden[0] ?? [];
    if (!draft) throw new Error('the kit has no inbound');
    const fields = new Map(shownFields(draft).map((field) => [field.path, field]));
    const host = fields.get('streamSettings.xhttpSettings.mode');
    expect(host && stored(host, '', 'auto')).toBeUndefined();
    const headers = fields.get('streamSettings.xhttpSettings.headers');
    const before = { A: ['x', 'y'], B: 'z' };
    expect(headers && stored(headers, 'A: x, y\nC: 1', before)).toStrictEqual({ A: ['x', 'y'], C: '1' });
  });
});

describe('changes of two admins', () => {
  const [, base] = golden[0] ?? [];
  if (!base) throw new Error('the kit has no inbound');
  const theirs = withValue(withValue(base, 'remark', 'theirs'), 'streamSettings.sockopt.mark', 7);

  it('are merged where only one has changed a member, and ask where both have', () => {
    const mine = withValue(withValue(base, 'remark', 'mine'), 'port', 5000);
    const found = differences(base, mine, theirs);
    expect(found.map(({ path, isConflict }) => [path, isConflict])).toStrictEqual([
      ['remark', true],
      ['streamSettings.sockopt.mark', false],
    ]);
    expect(merged(mine, found, new Set(['remark']))).toStrictEqual(withValue(mine, 'streamSettings.sockopt.mark', 7));
    expect(merged(mine, found, new Set())).toMatchObject({ remark: 'theirs', port: 5000 });
  });

  it('are none where both have the same value', () => {
    expect(differences(base, theirs, theirs)).toStrictEqual([]);
    expect(differences(theirs, theirs, base).map(({ path }) => path)).toContain('streamSettings.sockopt.mark');
  });
});
