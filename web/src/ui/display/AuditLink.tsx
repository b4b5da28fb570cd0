import { Anchor, Menu } from '@mantine/core';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../api/access';

/** Filters of the audit: `{ client: 'ahab' }`. */
type AuditFilter = Readonly<Partial<Record<'client' | 'inbound' | 'node', string | number>>>;

const auditPath = (filter: AuditFilter): string =>
  `/audit?${new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))}`;

/** A link to the events of one thing in the audit; nothing for a role that does not include the audit. */
export function AuditLink(filter: AuditFilter) {
  const { t } = useTranslation('shell');
  const may = useMay();
  if (!may('/panel/api/audit/page')) return null;
  return (
    <Anchor component={Link} to={auditPath(filter)} size="sm">
      {t('nav.audit')}
    </Anchor>
  );
}

/** The same as an item of a menu. */
export function AuditItem(filter: AuditFilter) {
  const { t } = useTranslation('shell');
  const may = useMay();
  if (!may('/panel/api/audit/page')) return null;
  return (
    <Menu.Item component={Link} to={auditPath(filter)} leftSection={<IconHistory size={16} />}>
      {t('nav.audit')}
    </Menu.Item>
  );
}
