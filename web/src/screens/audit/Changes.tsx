import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Gets } from '../../api/contract.generated';
import { type Format, Technical, useFormat } from '../../ui/display/format';
import classes from './Audit.module.css';

type Change = Gets['/panel/api/audit/:position']['reply']['changes'][number] & {
  /** A value was erased since. */
  readonly erased?: boolean;
  /** The event that set the value. */
  readonly position?: number | null;
};

/** Fields with a name for people. Others are shown by their technical name. */
const LABELS = {
  enabled: 'field.enabled',
  email: 'field.email',
  comment: 'field.comment',
  capBytes: 'field.capBytes',
  expiresAt: 'field.expiresAt',
  limitIp: 'field.limitIp',
  renewalDays: 'field.renewalDays',
  up: 'field.up',
  down: 'field.down',
  remark: 'field.remark',
  port: 'field.port',
  protocol: 'field.protocol',
  name: 'field.name',
  host: 'field.host',
  version: 'field.version',
  credential: 'field.credential',
  credentials: 'field.credential',
  subId: 'field.subId',
  token: 'field.token',
  trafficReset: 'field.trafficReset',
} as const;

const BYTES: ReadonlySet<string> = new Set(['capBytes', 'up', 'down']);

interface Props {
  readonly changes: readonly Change[];
  /** What stands below the name of a field. */
  readonly causeOf?: (change: Change) => ReactNode;
}

/** The values before and after an event, or at two moments. */
export function Changes({ changes, causeOf }: Props) {
  const { t } = useTranslation('audit');
  return (
    <table className={classes['changes']}>
      <thead>
        <tr>
          <th scope="col">{t('change.field')}</th>
          <th scope="col">{t('change.before')}</th>
          <th scope="col">{t('change.after')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.filter(isShown).map((change) => (
          <tr key={change.field}>
            <th scope="row">
              <Name field={change.field} />
              {causeOf?.(change)}
            </th>
            {change.secret ? (
              <td colSpan={2} className={classes['muted']}>
                {t('change.secret')}
              </td>
            ) : (
              <>
                <td className={classes['before']}>
                  <Value field={change.field} value={change.before} isErased={change.erased} />
                </td>
                <td>
                  <Value field={change.field} value={change.after} isErased={change.erased} />
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A new item has many fields that are not set. */
const isShown = ({ before, after, secret, erased = false }: Change): boolean =>
  secret || erased || before !== undefined || after !== '';

function Name({ field }: { readonly field: string }) {
  const { t } = useTranslation('audit');
  const label = Object.hasOwn(LABELS, field) ? LABELS[field as keyof typeof LABELS] : undefined;
  return label === undefined ? <Technical>{field}</Technical> : t(label);
}

interface ValueProps {
  readonly field: string;
  readonly value: unknown;
  readonly isErased: boolean | undefined;
}

function Value({ field, value, isErased = false }: ValueProps) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  if (value === undefined && isErased) return <span className={classes['muted']}>{t('value.erased')}</span>;
  if (value === undefined || value === null) return <span className={classes['muted']}>–</span>;
  if (typeof value === 'boolean') return t(value ? 'value.yes' : 'value.no');
  if (value === '') return <span className={classes['muted']}>{t('value.empty')}</span>;
  if (field === 'expiresAt' && typeof value === 'number') {
    if (value === 0) return t('value.never');
    return value > 0 ? format.dateTime(value) : t('value.afterUse', { term: format.duration(-value / 1000) });
  }
  if ((field === 'capBytes' || field === 'limitIp') && value === 0) return t('value.unlimited');
  return <bdi>{textOf(field, value, format)}</bdi>;
}

function textOf(field: string, value: unknown, format: Format): string {
  if (typeof value === 'number' && BYTES.has(field)) return format.bytes(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
