import { Alert, Anchor, Button } from '@mantine/core';
import IconEqual from '@tabler/icons-react/dist/esm/icons/IconEqual.mjs';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { RecountPreview } from '../../../api/contract.generated';
import { clientPath, usedBytes } from '../../../model/clients';
import { useFormat } from '../../../ui/display/format';
import { Empty, Section } from '../../../ui/display/Page';
import classes from './Recount.module.css';

type Bytes = RecountPreview['counted'];

interface Props {
  readonly preview: RecountPreview;
  /** Loads more clients; null = all are shown. */
  readonly more: (() => void) | null;
  readonly isBusy: boolean;
  readonly onApply: () => void;
}

/** Who would change by how much, and the button that applies it. */
export function Differences({ preview, more, isBusy, onApply }: Props) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const { clients, changes, counted, recounted, unchecked, position } = preview;
  if (clients === 0)
    return <Empty icon={<IconEqual size={28} />} title={t('recount.nothing')} body={t('recount.nothingBody')} />;
  return (
    <Section title={t('recount.differences')} actions={<Button onClick={onApply}>{t('recount.apply')}</Button>}>
      <p className={classes['sum']} role="status">
        {t('recount.found', {
          count: clients,
          number: format.number(clients),
          before: format.bytes(usedBytes(counted)),
          after: format.bytes(usedBytes(recounted)),
          position: format.number(position),
        })}
      </p>
      {unchecked > 0 && (
        <Alert color="orange" mb="sm">
          {t('recount.unchecked', { count: unchecked, number: format.number(unchecked) })}
        </Alert>
      )}
      <table className={classes['table']} aria-label={t('recount.differences')}>
        <thead>
          <tr>
            <th scope="col">{t('recount.client')}</th>
            <th scope="col">{t('recount.counted')}</th>
            <th scope="col">{t('recount.recounted')}</th>
            <th scope="col">{t('recount.difference')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ client, email, counted: was, recounted: is }) => (
            <tr key={client}>
              <th scope="row">
                <Anchor component={Link} to={clientPath(email)} size="sm">
                  <bdi>{email}</bdi>
                </Anchor>
              </th>
              <td data-label={t('recount.counted')}>{format.bytes(usedBytes(was))}</td>
              <td data-label={t('recount.recounted')}>{format.bytes(usedBytes(is))}</td>
              <td data-label={t('recount.difference')}>
                <Signed was={was} is={is} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more && (
        <Button variant="default" mt="sm" loading={isBusy} onClick={more}>
          {t('compare.more', { number: format.number(clients - changes.length) })}
        </Button>
      )}
    </Section>
  );
}

/** The difference with its sign, left to right also in a right-to-left text. */
function Signed({ was, is }: { readonly was: Bytes; readonly is: Bytes }) {
  const format = useFormat();
  const difference = usedBytes(is) - usedBytes(was);
  return (
    <bdi dir="ltr">
      {difference < 0 ? '−' : '+'}
      {format.bytes(Math.abs(difference))}
    </bdi>
  );
}
