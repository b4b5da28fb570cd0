import { Group, NativeSelect, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type PostRequest } from '../../../api/client';
import { type ClientInbound, inboundName, type WireClient } from '../../../model/clients';
import { type Numbering, newCredentials, numberedEmail, numberedSample } from '../../../model/new-client';
import { randomWord } from '../../../model/random';
import { useAction } from '../../../ui/feedback/action';
import { SidePanel } from '../../../ui/feedback/SidePanel';
import { NumberField } from '../../../ui/form/NumberField';
import { STALE } from '../actions';
import classes from '../Clients.module.css';
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
  const [first, setFirst] = useState<number | string>(1);
  const [digits, setDigits] = useState<number | string>(1);
  const count = Math.max(1, Number(typedCount) || 1);
  const isMany = count > 1;
  const numberingOf = (pattern: string): Numbering => ({ pattern, first: Number(first), digits: Number(digits) });
  const requestOf = (values: Values) =>
    addRequest(inbounds, values, isMany ? { count, ...numberingOf(values.email) } : null);
  const initial = useMemo(() => {
    const [first] = inbounds;
    return { ...valuesOf(null, first), flow: first?.vision ? 'xtls-rprx-vision' : '' };
  }, [inbounds]);
  const save = useAction<Values>({
    stale: STALE,
    silent: true,
    run: (values) => requestOf(values).send(),
  });
  return (
    <SidePanel onClose={onClose} title={t('addTitle')}>
      <ClientForm
        initial={initial}
        submit={isMany ? t('addMany', { n: count }) : t('add')}
        hasFlow={inbounds.some(({ vision }) => vision)}
        isMany={isMany}
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
              description={isMany ? undefined : t('form.countHelp')}
              min={1}
              max={MOST}
              whole
              value={typedCount}
              onChange={setTypedCount}
            />
            {isMany && (
              <>
                <Group grow align="flex-start">
                  <NumberField label={t('form.first')} min={0} max={1e9} whole value={first} onChange={setFirst} />
                  <NumberField
                    label={t('form.digits')}
                    description={t('form.digitsHelp')}
                    min={1}
                    max={9}
                    whole
                    value={digits}
                    onChange={setDigits}
                  />
                </Group>
                <Text size="sm" role="status" className={classes['names']}>
                  <bdi>{numberedSample(numberingOf(form.values.email), count)}</bdi>
                </Text>
              </>
            )}
          </>
        )}
        onSubmit={(values) => save.mutateAsync(values).then(onClose)}
        onClose={onClose}
        request={requestOf}
      />
    </SidePanel>
  );
}

type Many = Numbering & { readonly count: number };

function addRequest(inbounds: readonly ClientInbound[], values: Values, many: Many | null): PostRequest<unknown> {
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
    many === null
      ? [fresh(terms.email, terms.subId ?? '')]
      : Array.from({ length: many.count }, (_, index) => fresh(numberedEmail(many, index), randomWord(16)));
  return api.request('/panel/api/inbounds/addClient', {
    body: { id: Number(values.inbound), settings: JSON.stringify({ clients }) },
  });
}
