import { NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type PostRequest } from '../../../api/client';
import { type ClientInbound, inboundName, type WireClient } from '../../../model/clients';
import { newCredentials } from '../../../model/new-client';
import { randomWord } from '../../../model/random';
import { useAction } from '../../../ui/feedback/action';
import { SidePanel } from '../../../ui/feedback/SidePanel';
import { NumberField } from '../../../ui/form/NumberField';
import { STALE } from '../actions';
import { ClientForm } from './ClientForm';
import { type Values, valuesOf, wireOfValues } from './client-values';

const MOST = 1000;

interface Props {
  readonly inbounds: readonly ClientInbound[];
  readonly onClose: () => void;
}

/** Adds a client, or several with the same terms and numbered emails. */
export function AddClient({ inbounds, onClose }: Props) {
  const { t } = useTranslation(['clients', 'shell']);
  const [typedCount, setTypedCount] = useState<number | string>(1);
  const count = Math.max(1, Number(typedCount) || 1);
  const initial = useMemo(() => {
    const [first] = inbounds;
    return { ...valuesOf(null, first), flow: first?.vision ? 'xtls-rprx-vision' : '' };
  }, [inbounds]);
  const save = useAction<Values>({
    stale: STALE,
    silent: true,
    run: (values) => addRequest(inbounds, values, count).send(),
  });
  return (
    <SidePanel onClose={onClose} title={t('addTitle')}>
      <ClientForm
        initial={initial}
        submit={count > 1 ? t('addMany', { n: count }) : t('add')}
        hasFlow={inbounds.some(({ vision }) => vision)}
        head={(form) => (
          <>
            <NativeSelect
              label={t('form.inbound')}
              data={inbounds.map((inbound) => ({
                value: String(inbound.id),
                label: `${inboundName(inbound)} · ${inbound.protocol} · ${inbound.port}`,
              }))}
              {...form.getInputProps('inbound')}
            />
            <NumberField
              label={t('form.count')}
              description={
                count > 1
                  ? t('form.countPreview', {
                      first: numbered(form.values.email, 1),
                      last: numbered(form.values.email, count),
                    })
                  : t('form.countHelp')
              }
              min={1}
              max={MOST}
              whole
              value={typedCount}
              onChange={setTypedCount}
            />
          </>
        )}
        onSubmit={(values) => save.mutateAsync(values).then(onClose)}
        onClose={onClose}
        request={(values) => addRequest(inbounds, values, count)}
      />
    </SidePanel>
  );
}

const numbered = (email: string, number: number): string => `${email.trim()}-${number}`;

function addRequest(inbounds: readonly ClientInbound[], values: Values, count: number): PostRequest<unknown> {
  const inbound = inbounds.find(({ id }) => String(id) === values.inbound) ?? inbounds[0];
  const terms = wireOfValues(values, null);
  const fresh = (email: string, subId: string): WireClient => ({
    ...(inbound ? newCredentials(inbound) : {}),
    ...(inbound?.vision ? { flow: values.flow } : {}),
    ...terms,
    email,
    subId,
  });
  const clients =
    count === 1
      ? [fresh(terms.email, terms.subId ?? '')]
      : Array.from({ length: count }, (_, n) => fresh(numbered(terms.email, n + 1), randomWord(16)));
  return api.request('/panel/api/inbounds/addClient', {
    body: { id: Number(values.inbound), settings: JSON.stringify({ clients }) },
  });
}
