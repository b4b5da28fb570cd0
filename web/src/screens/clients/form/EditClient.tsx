import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRow } from '../../../api/contract.generated';
import { clientDetails } from '../../../api/queries';
import type { ClientDetails, ClientInbound, WireClient } from '../../../model/clients';
import { useAction } from '../../../ui/action';
import { Loaded } from '../../../ui/Page';
import { STALE, updateRequest, wireOf } from '../actions';
import { ClientForm } from './ClientForm';
import { type Values, valuesOf, wireOfValues } from './client-values';

interface Props {
  readonly row: Pick<ClientRow, 'id' | 'email' | 'inboundId'>;
  readonly inbounds: readonly ClientInbound[];
  readonly onClose: () => void;
  /** Called with the email after the change. */
  readonly onSaved?: (email: string) => void;
}

/** Changes a client. */
export function EditClient({ row, inbounds, onClose, onSaved }: Props) {
  const { t } = useTranslation(['clients', 'shell']);
  const query = useQuery({
    ...clientDetails(row.email),
    // What is typed is not compared with what changes meanwhile.
    refetchInterval: false,
  });
  const inbound = inbounds.find(({ id }) => id === row.inboundId);
  const found = query.data?.find((one) => one.row.id === row.id);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={t('editTitle', { email: row.email })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      <Loaded query={query} rows={6}>
        {() =>
          found && inbound && <Form details={found} inbound={inbound} onClose={onClose} onSaved={onSaved ?? noop} />
        }
      </Loaded>
    </Drawer>
  );
}

const noop = (): undefined => undefined;

interface FormProps {
  readonly details: ClientDetails;
  readonly inbound: ClientInbound;
  readonly onClose: () => void;
  readonly onSaved: (email: string) => void;
}

function Form({ details, inbound, onClose, onSaved }: FormProps) {
  const { t } = useTranslation(['clients', 'shell']);
  // As it was when the form was opened: the query may bring a newer one.
  const before = useRef(wireOf(details)).current;
  const initial = useMemo(() => valuesOf(before, inbound), [before, inbound]);
  const save = useAction<Partial<WireClient>>({
    stale: STALE,
    silent: true,
    run: (changes) => updateRequest(inbound, before, changes).send(),
    undo: (changes) => {
      const now = { ...before, email: changes.email ?? before.email };
      return updateRequest(inbound, now, restored(before, changes)).send();
    },
  });
  const submit = async (values: Values): Promise<void> => {
    const changes = changesOf(values, before, inbound);
    const email = changes.email ?? before.email;
    if (Object.keys(changes).length > 0) await save.mutateAsync(changes);
    onSaved(email);
    onClose();
  };
  return (
    <ClientForm
      initial={initial}
      submit={t('save', { ns: 'shell' })}
      hasFlow={inbound.vision}
      onSubmit={submit}
      onClose={onClose}
      request={(values) => updateRequest(inbound, before, changesOf(values, before, inbound))}
    />
  );
}

/** Only what the form changed: what another admin changes meanwhile stays. */
function changesOf(values: Values, before: WireClient, { vision }: ClientInbound): Partial<WireClient> {
  const after: WireClient = { ...wireOfValues(values, before), ...(vision ? { flow: values.flow } : {}) };
  const entries = Object.entries(after).filter(([key, value]) => before[key as keyof WireClient] !== value);
  return Object.fromEntries(entries);
}

/** The changed members as they were. */
function restored(before: WireClient, changes: Partial<WireClient>): Partial<WireClient> {
  return Object.fromEntries(Object.keys(changes).map((key) => [key, before[key as keyof WireClient]]));
}
