import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { JsonObject } from '../../../model/json';
import blocks from '../../../ui/display/Blocks.module.css';
import { Technical } from '../../../ui/display/format';
import { Loaded, Section } from '../../../ui/display/Page';
import { Status } from '../../../ui/display/Status';
import { useAction } from '../../../ui/feedback/action';
import { useCurl } from '../../../ui/form/FormFooter';
import classes from '../Core.module.css';
import { registration } from '../queries';
import { parse } from '../template';
import { DeleteButton } from './DeleteButton';
import { type Registration, registrationOf, TUNNEL_TAG, tunnelOutbound, wireguardKey } from './provider-outbounds';

const STALE = [['settings', 'wgprov']] as const;

export interface ProviderProps {
  readonly onAdd: (outbound: JsonObject) => void;
  /** Whether there is an outbound with this tag. */
  readonly has: (tag: string) => boolean;
}

/** Cloudflare WARP: a registration of this server, and the outbound that it gives. */
export function TunnelProvider(props: ProviderProps) {
  const { t } = useTranslation('core');
  const query = useQuery(registration);
  const registering = useAction({
    stale: STALE,
    async run() {
      const keys = await api.get('/panel/api/server/getNewX25519Cert');
      const body = { privateKey: wireguardKey(keys.privateKey), publicKey: wireguardKey(keys.publicKey) };
      return api.post('/panel/core/wgprov/:action', { params: { action: 'reg' }, body });
    },
    said: () => t('provider.registered'),
  });
  return (
    <Section title={t('tunnel.title')}>
      <Text size="sm" c="dimmed" maw={640} mb="sm">
        {t('tunnel.help')}
      </Text>
      <Loaded query={query} rows={2}>
        {(stored) => {
          const known = registrationOf(stored);
          if (known) return <Registered {...props} registration={known} />;
          return (
            <Button size="xs" loading={registering.isPending} onClick={() => registering.mutate()}>
              {t('tunnel.register')}
            </Button>
          );
        }}
      </Loaded>
    </Section>
  );
}

function Registered({ registration: known, onAdd, has }: ProviderProps & { readonly registration: Registration }) {
  const { t } = useTranslation('core');
  const adding = useAction({
    stale: [],
    async run() {
      const done = await api.post('/panel/core/wgprov/:action', { params: { action: 'config' }, body: {} });
      const outbound = tunnelOutbound(known, parse(done.obj) ?? {});
      if (outbound) onAdd(outbound);
      return { obj: outbound, msg: t(outbound ? 'provider.added' : 'provider.incomplete', { tag: TUNNEL_TAG }) };
    },
  });
  return (
    <Stack gap="sm">
      <dl className={blocks['facts']}>
        <div>
          <dt>{t('provider.state')}</dt>
          <dd>
            <Status tone="good">{t('provider.yes')}</Status>
          </dd>
        </div>
        <div>
          <dt>{t('tunnel.device')}</dt>
          <dd>
            <Technical>{known.deviceId}</Technical>
          </dd>
        </div>
      </dl>
      <License current={known.license} />
      <Group gap="xs">
        <Button size="xs" loading={adding.isPending} onClick={() => adding.mutate()}>
          {t(has(TUNNEL_TAG) ? 'provider.refresh' : 'provider.add')}
        </Button>
        <DeleteButton
          stale={STALE}
          run={() => api.post('/panel/core/wgprov/:action', { params: { action: 'del' }, body: {} })}
        />
      </Group>
    </Stack>
  );
}

function License({ current }: { readonly current: string }) {
  const { t } = useTranslation('core');
  const [license, setLicense] = useState('');
  const request = () =>
    api.request('/panel/core/wgprov/:action', { params: { action: 'license' }, body: { license: license.trim() } });
  const applying = useAction({ stale: STALE, run: () => request().send(), said: () => t('tunnel.licensed') });
  const curl = useCurl(() => (license.trim() === '' ? null : request()));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        applying.mutate(undefined, { onSuccess: () => setLicense('') });
      }}
    >
      <div className={classes['filters']}>
        <TextInput
          label={t('tunnel.license')}
          description={t('tunnel.licenseHelp')}
          placeholder={current === '' ? '' : `${current.slice(0, 4)}…`}
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          value={license}
          onChange={({ currentTarget }) => setLicense(currentTarget.value)}
        />
        <Button
          size="xs"
          type="submit"
          variant="default"
          className={classes['atEnd'] ?? ''}
          disabled={license.trim() === ''}
          loading={applying.isPending}
        >
          {t('tunnel.apply')}
        </Button>
        <div className={classes['atEnd']}>{curl.button}</div>
      </div>
      {curl.view}
    </form>
  );
}
