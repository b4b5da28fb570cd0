import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, urlOf } from '../../api/client';
import { imitable } from '../../model/imitable';
import { NewLink } from '../../ui/display/NewLink';
import { Loaded } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import { NumberField } from '../../ui/form/NumberField';
import { bodyOf, type FirstInbound, KINDS, type Kind } from './first-inbound';
import { StepForm } from './StepForm';

const PATH = '/panel/api/inbounds/add';
const freePort = queryOptions({
  queryKey: ['setup', 'port'],
  queryFn: ({ signal }) => api.get('/panel/api/inbounds/freePort', { query: { prefer: 443 }, signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export function InboundStep() {
  const query = useQuery(freePort);
  return (
    <Loaded query={query} rows={3}>
      {(port) => <Form port={port} />}
    </Loaded>
  );
}

interface Made {
  readonly id: number;
  readonly email: string;
}

function Form({ port: proposed }: { readonly port: number }) {
  const { t } = useTranslation('setup');
  const [start] = useState<FirstInbound>(() => ({
    kind: 'reality',
    port: proposed,
    site: imitable(),
    email: '',
  }));
  const [values, setValues] = useState(start);
  const [sent, setSent] = useState<object | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const [refusal, setRefusal] = useState('');
  const set = (changes: Partial<FirstInbound>): void => setValues({ ...values, ...changes });
  const add = useAction({
    stale: [['inbounds'], ['settings']],
    silent: true,
    async run() {
      const body = await bodyOf(values);
      setSent(body);
      return api.post(PATH, { body });
    },
  });
  if (made) {
    return (
      <Stack gap="sm" align="center">
        <Text size="sm">{t('inbound.made')}</Text>
        <NewLink inbound={made.id} email={made.email} qrLabel={t('inbound.qr')} copyLabel={t('inbound.copy')} />
      </Stack>
    );
  }
  return (
    <StepForm
      submit={t('inbound.submit')}
      isBusy={add.isPending}
      isDirty={values !== start}
      isDisabled={values.email.trim() === ''}
      refusal={refusal}
      request={() => sent && { url: urlOf(PATH), body: sent }}
      onSubmit={() => {
        setRefusal('');
        add.mutate(undefined, {
          onSuccess: ({ obj }) => setMade({ id: obj.id, email: values.email }),
          onError: (error) => setRefusal(sentenceOf(error)),
        });
      }}
    >
      <NativeSelect
        label={t('inbound.kind')}
        description={t(`inbound.kind.${values.kind}`)}
        value={values.kind}
        onChange={({ currentTarget }) => set({ kind: currentTarget.value as Kind })}
        data={KINDS.map((value) => ({ value, label: value === 'reality' ? 'VLESS + REALITY' : 'Shadowsocks 2022' }))}
      />
      {values.kind === 'reality' && (
        <TextInput
          label={t('inbound.site')}
          description={t('inbound.siteHelp')}
          dir="ltr"
          required
          withAsterisk={false}
          value={values.site}
          onChange={({ currentTarget }) => set({ site: currentTarget.value.trim() })}
        />
      )}
      <NumberField
        label={t('inbound.port')}
        min={1}
        max={65_535}
        whole
        hideControls
        value={values.port}
        onChange={(port) => set({ port })}
      />
      <TextInput
        label={t('inbound.client')}
        description={t('inbound.clientHelp')}
        autoComplete="off"
        dir="auto"
        value={values.email}
        onChange={({ currentTarget }) => set({ email: currentTarget.value })}
      />
    </StepForm>
  );
}
