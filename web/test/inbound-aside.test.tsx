import { MantineProvider } from '@mantine/core';
import i18next from 'i18next';
import { renderToStaticMarkup } from 'react-dom/server';
import { initReactI18next } from 'react-i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { withValue } from '../src/model/json';
import { type Aside, lossesOf, switched } from '../src/screens/inbounds/editor/aside';
import type { Draft } from '../src/screens/inbounds/editor/draft';
import { Losses } from '../src/screens/inbounds/editor/Losses';
import inbounds from '../src/screens/inbounds/texts/en.json';
import shell from '../src/shell/texts/en.json';

const base: Draft = {
  ...{ remark: 'Harbour', enable: true, nodeId: 0, listen: '', port: 443, protocol: 'vless', tag: '' },
  ...{ total: 0, expiryTime: 0, trafficReset: 'never', sniffing: {} },
  settings: { decryption: 'private', encryption: 'public' },
  streamSettings: { network: 'tcp', security: 'reality', realitySettings: { privateKey: 'key', target: 'a:443' } },
};

/** The draft after choices of the form, one after another. */
function after(start: Draft, ...choices: readonly (readonly [path: string, value: string])[]) {
  return choices.reduce<{ readonly draft: Draft; readonly aside: Aside }>(
    ({ draft, aside }, [path, value]) => switched(draft, withValue(draft, path, value), aside),
    { draft: start, aside: {} },
  );
}
const NETWORK = 'streamSettings.network';

beforeAll(async () => {
  await i18next.use(initReactI18next).init({
    ...{
      lng: 'en',
      ns: ['inbounds', 'shell'],
      resources: { en: { inbounds, shell } },
      keySeparator: false,
      nsSeparator: false,
    },
    react: { useSuspense: false },
  });
});

const said = (props: Parameters<typeof Losses>[0]): string =>
  renderToStaticMarkup(
    <MantineProvider>
      <Losses {...props} />
    </MantineProvider>,
  )
    .replaceAll(/<style.*?<\/style>|<[^>]+>/g, '')
    .trim();

describe('another protocol', () => {
  it('keeps the transport and the keys of the security where the protocol has them too', () => {
    const { draft, aside } = after(base, ['protocol', 'trojan']);
    expect(draft).toStrictEqual({ ...base, protocol: 'trojan', settings: {} });
    expect(lossesOf(draft, aside)).toStrictEqual([{ of: 'vless', members: ['decryption', 'encryption'] }]);
  });

  it('says what a save drops, and the former one brings it all back', () => {
    const away = after(base, ['protocol', 'wireguard']);
    expect(said(away)).toBe(
      'Saving drops what belongs to vless: Decryption, Encryption of clients, REALITY. Choose vless again to get it back.',
    );
    const back = after(base, ['protocol', 'wireguard'], ['protocol', 'mixed'], ['protocol', 'vless']);
    expect(back.draft).toStrictEqual(base);
    expect(said(back)).toBe('');
  });

  it('takes the certificate along to Hysteria2', () => {
    const tlsSettings = { alpn: ['h2'], certificates: [{ certificateFile: '/c.pem' }] };
    const start = {
      ...base,
      streamSettings: { network: 'ws', security: 'tls', tlsSettings, wsSettings: { path: '/a' } },
    };
    const { draft, aside } = after(start, ['protocol', 'hysteria2']);
    expect(draft.streamSettings).toMatchObject({ security: 'tls', tlsSettings: { ...tlsSettings, alpn: ['h3'] } });
    expect(lossesOf(draft, aside)[0]?.members).toStrictEqual(['decryption', 'encryption', 'wsSettings']);
    const back = after(start, ['protocol', 'hysteria2'], ['protocol', 'vless']);
    expect(back.draft).toStrictEqual(start);
    // Nothing was set for Hysteria2.
    expect(lossesOf(back.draft, back.aside)).toStrictEqual([]);
  });
});

describe('another transport', () => {
  it('says that it switches REALITY off, keeps the keys, and the former one switches it on again', () => {
    const away = after(base, [NETWORK, 'ws']);
    const { realitySettings } = base.streamSettings;
    expect(away.draft.streamSettings).toStrictEqual({ network: 'ws', security: 'none', realitySettings });
    expect(said(away)).toBe('REALITY does not work with this transport and is off. Its settings stay in the inbound.');
    const back = after(base, [NETWORK, 'ws'], [NETWORK, 'tcp']);
    expect(back.draft).toStrictEqual(base);
    expect(said(back)).toBe('');
  });

  it('says that it drops a mask, and the former one brings it back', () => {
    const finalmask = { udp: [{ type: 'mkcp-legacy', settings: { value: 'seed' } }] };
    const start = { ...base, protocol: 'vmess', settings: {}, streamSettings: { network: 'kcp', finalmask } };
    const away = after(start, [NETWORK, 'ws']);
    expect(away.draft.streamSettings).toStrictEqual({ network: 'ws' });
    expect(said(away)).toBe('Saving drops what belongs to kcp: Masks. Choose kcp again to get it back.');
    expect(after(start, [NETWORK, 'ws'], [NETWORK, 'kcp']).draft).toStrictEqual(start);
  });

  it('leaves a security that was chosen meanwhile', () => {
    const back = after(base, [NETWORK, 'ws'], ['streamSettings.security', 'tls'], [NETWORK, 'tcp']);
    expect(back.draft.streamSettings['security']).toBe('tls');
    expect(after(base, [NETWORK, 'grpc']).aside).toStrictEqual({});
  });
});
