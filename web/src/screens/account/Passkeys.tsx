import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { createPasskey, hasPasskeys } from '../../api/passkeys';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import { Section } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { Dialog } from '../../ui/feedback/Dialog';
import { sentenceOf } from '../../ui/feedback/toast';
import { FormFooter } from '../../ui/form/FormFooter';
import classes from './Account.module.css';
import { type Factors, factors, STALE } from './queries';

type Passkey = Factors['passkeys'][number];

/** The passkeys of the account: a login with one needs no name, password or code. */
export function Passkeys() {
  const { t } = useTranslation('account');
  const { data } = useQuery(factors);
  const [isAdding, setAdding] = useState(false);
  const passkeys = data?.passkeys ?? [];
  return (
    <Section title={t('passkeys')}>
      <Text size="sm">{t(hasPasskeys() ? 'passkeys.body' : 'passkeys.unsupported')}</Text>
      {passkeys.length > 0 && (
        <ul className={`${blocks['list']} ${classes['passkeys']}`}>
          {passkeys.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {hasPasskeys() && (
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setAdding(true)}>
            {t('passkeys.add')}
          </Button>
        </Group>
      )}
      {isAdding && <Add hasCode={data?.twoFactor ?? false} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function Row({ passkey: { id, name, host, createdAt, usedAt } }: { readonly passkey: Passkey }) {
  const { t } = useTranslation(['account', 'shell']);
  const format = useFormat();
  const remove = useAction({
    stale: STALE,
    run: () => api.post('/panel/setting/passkeys/remove/:id', { params: { id } }),
  });
  const ask = (): void =>
    confirmLoss({
      title: t('passkeys.removeTitle', { name }),
      body: t('passkeys.removeBody'),
      action: t('passkeys.remove'),
      run: () => remove.mutate(),
    });
  return (
    <li>
      <div>
        <bdi className={classes['name']}>{name}</bdi>
        <div className={classes['note']}>
          <Technical>{host}</Technical>
          {' · '}
          {usedAt === null ? t('passkeys.unused') : t('passkeys.used', { when: format.relative(usedAt) })}
        </div>
        <div className={classes['note']}>{t('passkeys.addedAt', { when: format.dateTime(createdAt) })}</div>
      </div>
      <Button
        size="xs"
        variant="default"
        aria-label={t('passkeys.removeOf', { name })}
        loading={remove.isPending}
        onClick={ask}
      >
        {t('passkeys.remove')}
      </Button>
    </li>
  );
}

const addRequest = (body: Posts['/panel/setting/passkeys/add']['body']) =>
  api.request('/panel/setting/passkeys/add', { body });
/** Stands for what the authenticator answers to the options of the panel. */
const ANSWER = {
  id: '…',
  rawId: '…',
  type: 'public-key',
  response: { clientDataJSON: '…', attestationObject: '…' },
} as const;

/** Asks for a name, and for the password or a code, so that an open session is not enough. */
function Add({ hasCode, onClose }: { readonly hasCode: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation(['account', 'shell']);
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [refusal, setRefusal] = useState('');
  const request = (response: Parameters<typeof addRequest>[0]['response']) =>
    addRequest({ name, ...(hasCode ? { twoFactorCode: secret } : { password: secret }), response });
  const add = useAction({
    stale: STALE,
    silent: true,
    run: async () => {
      const { obj: options } = await api.post('/panel/setting/passkeys/options');
      return request(await createPasskey(options)).send();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRefusal('');
    add.mutate(undefined, { onSuccess: onClose, onError: (error) => setRefusal(sentenceOf(error)) });
  };
  return (
    <Dialog onClose={onClose} title={t('passkeys.add')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={t('passkeys.name')}
            description={t('passkeys.nameHelp')}
            maxLength={64}
            dir="auto"
            required
            withAsterisk={false}
            data-autofocus
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {hasCode ? (
            <TextInput
              name="secret"
              label={t('code')}
              autoComplete="one-time-code"
              maxLength={16}
              dir="ltr"
              required
              withAsterisk={false}
              value={secret}
              onChange={({ currentTarget }) => setSecret(currentTarget.value)}
            />
          ) : (
            <PasswordInput
              name="secret"
              label={t('credentials.old')}
              autoComplete="current-password"
              dir="auto"
              required
              withAsterisk={false}
              value={secret}
              onChange={({ currentTarget }) => setSecret(currentTarget.value)}
            />
          )}
          {refusal !== '' && (
            <Text size="sm" c="red" role="alert">
              {refusal}
            </Text>
          )}
          <FormFooter
            submit={t('passkeys.add')}
            isBusy={add.isPending}
            onCancel={onClose}
            request={() => request(ANSWER)}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
