import { useTranslation } from 'react-i18next';
import type { WireClient } from '../../../model/clients';
import type { Json } from '../../../model/json';
import { differences, merged } from '../../../model/merge';
import { useFormat } from '../../../ui/display/format';
import { Conflict, plainText } from '../../../ui/form/Conflict';

const LABELS = {
  ...({ email: 'form.email', enable: 'form.enabled', totalGB: 'form.cap', expiryTime: 'form.expires' } as const),
  ...({ limitIp: 'form.limitIp', reset: 'form.reset', subId: 'form.subId', comment: 'form.comment' } as const),
  ...({ tgId: 'form.tgId', flow: 'form.flow' } as const),
};
type Member = keyof typeof LABELS;
const MEMBERS = Object.keys(LABELS) as Member[];
const DAY_MS = 86_400_000;

interface Props {
  readonly base: WireClient;
  readonly mine: WireClient;
  readonly theirs: WireClient;
  /** Called with the client as the form then has it. */
  readonly onMerge: (client: WireClient) => void;
}

/** What another admin changed in a client meanwhile. */
export function ClientConflict({ base, mine, theirs, onMerge }: Props) {
  const { t } = useTranslation('clients');
  const show = useShown();
  const found = differences(editable(base), editable(mine), editable(theirs));
  return (
    <Conflict
      // Its choices start again with each change.
      key={JSON.stringify(theirs)}
      title={t('conflict.title')}
      found={found}
      onMerge={(kept) => onMerge({ ...theirs, ...merged(editable(mine), found, kept) })}
      show={({ path, theirs, mine }) => ({
        label: t(LABELS[path as Member]),
        theirs: show(path, theirs),
        mine: show(path, mine),
      })}
    />
  );
}

/** The members that the form has. */
function editable(client: WireClient): Partial<WireClient> {
  return Object.fromEntries(MEMBERS.map((member) => [member, client[member]]));
}

function useShown(): (path: string, value: Json | undefined) => string {
  const { t } = useTranslation('clients');
  const format = useFormat();
  return (path, value) => {
    if (path === 'totalGB') return value === 0 ? t('unlimited') : format.bytes(Number(value));
    if (path === 'enable') return value === true ? '✓' : '✗';
    if (path !== 'expiryTime') return plainText(value);
    if (value === 0) return t('form.expires.never');
    const days = Math.round(-Number(value) / DAY_MS);
    return Number(value) > 0
      ? format.date(Number(value))
      : `${t('form.expires.use')}: ${t('form.inDays', { count: days })}`;
  };
}
