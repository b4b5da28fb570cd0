import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRow } from '../../../api/contract.generated';
import { clientDetails } from '../../../api/queries';
import type { ClientDetails, ClientInbound, WireClient } from '../../../model/clients';
import { Loaded } from '../../../ui/display/Page';
import { useAction } from '../../../ui/feedback/action';
import { SidePanel } from '../../../ui/feedback/SidePanel';
import { STALE, updateRequest, wireOf } from '../actions';
import { ClientConflict } from './ClientConflict';
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
    <SidePanel onClose={onClose} title={t('editTitle', { email: row.email })}>
      <Loaded query={query} rows={6}>
        {() =>
          found && inbound && <Form details={found} inbound={inbound} onClose={onClose} onSaved={onSaved ?? noop} />
        }
      </Loaded>
    </SidePanel>
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
  const { base, before, isOutdated, accept } = useBase(details);
  const initial = useRef(valuesOf(before, inbound)).current;
  const client = useQueryClient();
  const save = useAction<Partial<WireClient>, string>({
    stale: STALE,
    silent: true,
    async run(changes) {
      const { msg } = await updateRequest(inbound, before, changes, base.version).send();
      const after = await client.fetchQuery({ ...clientDetails(changes.email ?? before.email), staleTime: 0 });
      return { obj: after.find(({ row }) => row.inboundId === details.row.inboundId)?.version ?? '', msg };
    },
    // It expects the version of this save: a later change of another admin stays.
    undo: (changes, { obj }) => {
      const now = { ...before, email: changes.email ?? before.email };
      return updateRequest(inbound, now, restored(before, changes), obj).send();
    },
  });
  const submit = async (values: Values): Promise<void> => {
    const changes = changesOf(values, before, inbound);
    const email = changes.email ?? before.email;
    if (Object.keys(changes).length > 0) await save.mutateAsync(changes);
    onSaved(email);
    onClose();
  };
  // The own save changes the version too.
  const hasConflict = isOutdated && !save.isPending && !save.isSuccess;
  return (
    <ClientForm
      initial={initial}
      submit={t('save', { ns: 'shell' })}
      isDisabled={hasConflict}
      head={(form) =>
        hasConflict && (
          <ClientConflict
            base={before}
            mine={{ ...before, ...changesOf(form.getValues(), before, inbound) }}
            theirs={wireOf(details)}
            onMerge={(merged) => {
              accept();
              form.setValues(valuesOf(merged, inbound));
            }}
          />
        )
      }
      hasFlow={inbound.vision}
      onSubmit={submit}
      onClose={onClose}
      request={(values) => updateRequest(inbound, before, changesOf(values, before, inbound), base.version)}
    />
  );
}

/** The client as it was when the form was opened, or when the admin accepted what another one changed. */
function useBase(details: ClientDetails) {
  const [base, setBase] = useState(details);
  return {
    base,
    before: wireOf(base),
    isOutdated: details.version !== base.version,
    accept: () => setBase(details),
  };
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
