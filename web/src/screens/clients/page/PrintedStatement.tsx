import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { Gets } from '../../../api/contract.generated';
import { type Format, useFormat } from '../../../ui/display/format';
import classes from './PrintedStatement.module.css';

export type Statement = Gets['/panel/api/clients/:email/statement']['reply'];

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

export const signed = (bytes: number, { bytes: text }: Format): string =>
  bytes < 0 ? `−${text(-bytes)}` : text(bytes);

export const BALANCES = ['opening', 'used', 'changed', 'closing'] as const;

/** What the print view of a client's page contains, instead of the page. It is not shown on a screen. */
export function PrintedStatement({ email, statement }: { readonly email: string; readonly statement: Statement }) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  // At noon, a date stays the same day in the time zone of the browser.
  const day = (date: string): string => format.date(Date.parse(`${date}T12:00:00`));
  const { from, to, days, used } = statement;
  const row = (name: string, { up, down }: { readonly up: number; readonly down: number }) => (
    <tr key={name}>
      <th scope="row">{name}</th>
      <td>{format.bytes(up)}</td>
      <td>{format.bytes(down)}</td>
      <td>{format.bytes(up + down)}</td>
    </tr>
  );
  return createPortal(
    <article className={classes['statement']} aria-hidden>
      <h2>{t('statement.title')}</h2>
      <p className={classes['client']}>
        <bdi>{email}</bdi>
      </p>
      <p>
        {day(from)} – {day(to)}
      </p>
      <dl>
        {BALANCES.map((name) => (
          <div key={name}>
            <dt>{t(`balance.${name}`)}</dt>
            <dd>{signed(statement[name].up + statement[name].down, format)}</dd>
          </div>
        ))}
      </dl>
      {days.length === 0 ? (
        <p>{t('usage.none')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('statement.day')}</th>
              <th scope="col">{t('statement.up')}</th>
              <th scope="col">{t('statement.down')}</th>
              <th scope="col">{t('statement.total')}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, sources }) =>
              row(day(date), { up: sum(sources.map(({ up }) => up)), down: sum(sources.map(({ down }) => down)) }),
            )}
          </tbody>
          <tfoot>{row(t('statement.total'), used)}</tfoot>
        </table>
      )}
    </article>,
    document.body,
  );
}
