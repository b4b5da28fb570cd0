import { Button, Group, NativeSelect, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import { useFormat } from '../../../ui/display/format';
import { Loaded, Section } from '../../../ui/display/Page';
import { Status } from '../../../ui/display/Status';
import { useAction } from '../../../ui/feedback/action';
import { useCurl } from '../../../ui/form/FormFooter';
import { SegmentedControl } from '../../../ui/form/SegmentedControl';
import classes from '../Core.module.css';
import { vpnAccount, vpnCountries, vpnServers } from '../queries';
import { DeleteButton } from './DeleteButton';
import { VPN_TAG, vpnKeyOf, vpnOutbound } from './provider-outbounds';
import type { ProviderProps } from './TunnelProvider';

const STALE = [['settings', 'vpnprov']] as const;

/** NordVPN: an account, a country and a server, and the outbound through it. */
export function VpnProvider(props: ProviderProps) {
  const { t } = useTranslation('core');
  const query = useQuery(vpnAccount);
  return (
    <Section title={t('vpn.title')}>
      <Text size="sm" c="dimmed" maw={640} mb="sm">
        {t('vpn.help')}
      </Text>
      <Loaded query={query} rows={2}>
        {(stored) => {
          const key = vpnKeyOf(stored);
          return key === '' ? <SignIn /> : <Account {...props} secretKey={key} />;
        }}
      </Loaded>
    </Section>
  );
}

const WAYS = ['token', 'key'] as const;

/** By the access token of the account, or by its WireGuard key. */
function SignIn() {
  const { t } = useTranslation('core');
  const [way, setWay] = useState<(typeof WAYS)[number]>('token');
  const [secret, setSecret] = useState('');
  const given = secret.trim();
  const request = () =>
    way === 'token'
      ? api.request('/panel/core/vpnprov/:action', { params: { action: 'reg' }, body: { token: given } })
      : api.request('/panel/core/vpnprov/:action', { params: { action: 'setKey' }, body: { key: given } });
  const signing = useAction({ stale: STALE, run: () => request().send(), said: () => t('provider.registered') });
  const curl = useCurl(() => (given === '' ? null : request()));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signing.mutate();
      }}
    >
      <Stack gap="sm" align="flex-start">
        <SegmentedControl
          size="xs"
          aria-label={t('vpn.way')}
          value={way}
          onChange={(value) => setWay(value === 'key' ? 'key' : 'token')}
          data={WAYS.map((value) => ({ value, label: t(`vpn.${value}`) }))}
        />
        <PasswordInput
          w="100%"
          maw={420}
          label={t(`vpn.${way}`)}
          description={t(`vpn.${way}Help`)}
          dir="ltr"
          autoComplete="off"
          value={secret}
          onChange={({ currentTarget }) => setSecret(currentTarget.value)}
        />
        <Group gap="xs">
          <Button size="xs" type="submit" disabled={given === ''} loading={signing.isPending}>
            {t('vpn.signIn')}
          </Button>
          {curl.button}
        </Group>
        {curl.view}
      </Stack>
    </form>
  );
}

function Account({ secretKey, onAdd, has }: ProviderProps & { readonly secretKey: string }) {
  const { t } = useTranslation('core');
  const countries = useQuery(vpnCountries);
  const [country, setCountry] = useState('');
  return (
    <Stack gap="sm">
      <Status tone="good">{t('provider.yes')}</Status>
      <Loaded query={countries} rows={1}>
        {(all) => (
          <div className={classes['filters']}>
            <NativeSelect
              label={t('vpn.country')}
              value={country}
              onChange={({ currentTarget }) => setCountry(currentTarget.value)}
              data={[
                { value: '', label: t('vpn.choose') },
                ...all.map(({ id, name }) => ({ value: String(id), label: name })),
              ]}
            />
            {country !== '' && <Servers key={country} country={country} {...{ secretKey, onAdd, has }} />}
          </div>
        )}
      </Loaded>
      <Group gap="xs">
        <DeleteButton
          stale={STALE}
          run={() => api.post('/panel/core/vpnprov/:action', { params: { action: 'del' }, body: {} })}
        />
      </Group>
    </Stack>
  );
}

interface ServersProps extends ProviderProps {
  readonly country: string;
  readonly secretKey: string;
}

/** The servers of a country, the least busy first. */
function Servers({ country, secretKey, onAdd, has }: ServersProps) {
  const { t } = useTranslation('core');
  const format = useFormat();
  const query = useQuery(vpnServers(country));
  const [chosen, setChosen] = useState('');
  return (
    <Loaded query={query} rows={1}>
      {(servers) => {
        const server = servers.find(({ hostname }) => hostname === chosen) ?? servers[0];
        if (!server) return <Text size="sm">{t('vpn.noServers')}</Text>;
        return (
          <>
            <NativeSelect
              label={t('vpn.server')}
              dir="ltr"
              value={server.hostname}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              data={servers.map(({ name, hostname, load }) => ({
                value: hostname,
                label: `${name} · ${format.percent(load / 100)}`,
              }))}
            />
            <Button size="xs" className={classes['atEnd'] ?? ''} onClick={() => onAdd(vpnOutbound(secretKey, server))}>
              {t(has(VPN_TAG) ? 'provider.refresh' : 'provider.add')}
            </Button>
          </>
        );
      }}
    </Loaded>
  );
}
