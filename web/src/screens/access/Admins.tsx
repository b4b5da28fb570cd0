import { Anchor, Button, Group, Menu, Text } from '@mantine/core';
import IconArrowsExchange from '@tabler/icons-react/dist/esm/icons/IconArrowsExchange.mjs';
import IconDevices from '@tabler/icons-react/dist/esm/icons/IconDevices.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconKey from '@tabler/icons-react/dist/esm/icons/IconKey.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { me, useMay } from '../../api/access';
import blocks from '../../ui/display/Blocks.module.css';
import { useFormat } from '../../ui/display/format';
import { Loaded, Section } from '../../ui/display/Page';
import rows from '../../ui/display/Rows.module.css';
import { Status } from '../../ui/display/Status';
import { useAddressFlag } from '../../ui/table/filters';
import { useRowMenu } from '../../ui/table/RowMenu';
import classes from './Access.module.css';
import { AdminForm } from './AdminForm';
import { DeleteAdmin } from './DeleteAdmin';
import { HandOver } from './HandOver';
import { PasswordForm } from './PasswordForm';
import { type Admin, admins as adminsQuery } from './queries';
import { SessionsDialog } from './SessionsDialog';
import { useLimits } from './words';

type Opened = {
  readonly form: 'access' | 'password' | 'sessions' | 'handOver' | 'delete';
  readonly admin: Admin;
} | null;

/** Everyone who may log in. */
export function Admins() {
  const { t } = useTranslation('access');
  const query = useQuery(adminsQuery);
  const may = useMay();
  const [isAdding, setAdding] = useAddressFlag('new');
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  const mayAdd = may('/panel/api/admins/add');
  return (
    <Section
      title={t('admins')}
      actions={
        <Group gap="md">
          {may('/panel/api/audit/page') && (
            <Anchor component={Link} to="/audit?kind=CommandRefused" size="sm">
              {t('refused')}
            </Anchor>
          )}
          {mayAdd && (
            <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
              {t('add')}
            </Button>
          )}
        </Group>
      }
    >
      <Loaded query={query} rows={3}>
        {(all) => (
          <>
            <List admins={all} onOpened={setOpened} />
            {opened?.form === 'handOver' && <HandOver admin={opened.admin} admins={all} onClose={close} />}
            {opened?.form === 'delete' && <DeleteAdmin admin={opened.admin} admins={all} onClose={close} />}
          </>
        )}
      </Loaded>
      {isAdding && mayAdd && <AdminForm admin={null} onClose={() => setAdding(false)} />}
      {opened?.form === 'access' && <AdminForm admin={opened.admin} onClose={close} />}
      {opened?.form === 'password' && <PasswordForm admin={opened.admin} onClose={close} />}
      {opened?.form === 'sessions' && <SessionsDialog admin={opened.admin} onClose={close} />}
    </Section>
  );
}

interface ListProps {
  readonly admins: readonly Admin[];
  readonly onOpened: (opened: Opened) => void;
}

function List({ admins, onOpened }: ListProps) {
  const { t } = useTranslation('access');
  const may = useMay();
  const mayChange = may('/panel/api/admins/access/:id');
  const item = (label: string, icon: ReactNode, opened: Opened) => (
    <Menu.Item leftSection={icon} onClick={() => onOpened(opened)}>
      {label}
    </Menu.Item>
  );
  const [menuButton, menu] = useRowMenu<Admin>(
    ({ username }) => t('actionsFor', { name: username }),
    (admin) => (
      <>
        {mayChange && item(t('change'), <IconPencil size={16} />, { form: 'access', admin })}
        {mayChange && item(t('password'), <IconKey size={16} />, { form: 'password', admin })}
        {may('/panel/api/admins/sessions/:id') &&
          item(t('sessions'), <IconDevices size={16} />, { form: 'sessions', admin })}
        {mayChange &&
          admin.clients > 0 &&
          item(t('handOver'), <IconArrowsExchange size={16} />, { form: 'handOver', admin })}
        {may('/panel/api/audit/page') && (
          <Menu.Item
            component={Link}
            to={`/audit?${new URLSearchParams({ actor: admin.username })}`}
            leftSection={<IconHistory size={16} />}
          >
            {t('activity')}
          </Menu.Item>
        )}
        {may('/panel/api/admins/del/:id') && (
          <>
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} />}
              onClick={() => onOpened({ form: 'delete', admin })}
            >
              {t('delete')}
            </Menu.Item>
          </>
        )}
      </>
    ),
  );
  const hasMenu =
    mayChange ||
    may('/panel/api/admins/sessions/:id') ||
    may('/panel/api/audit/page') ||
    may('/panel/api/admins/del/:id');
  return (
    <>
      <ul className={blocks['list']} aria-label={t('admins')}>
        {admins.map((admin) => (
          <li key={admin.id} className={rows['row']}>
            <About admin={admin} />
            {hasMenu && menuButton(admin)}
          </li>
        ))}
      </ul>
      {menu}
    </>
  );
}

function About({ admin }: { readonly admin: Admin }) {
  const { t } = useTranslation('access');
  const format = useFormat();
  const { data: caller } = useQuery(me);
  const limits = useLimits(admin);
  const { username, role, clients, capBytes, lastLoginAt } = admin;
  const owned = clients === 0 ? t('owns.none') : t('owns', { count: clients, size: format.bytes(capBytes) });
  return (
    <div className={rows['main']}>
      <div className={rows['name']}>
        <bdi>{username}</bdi>
        <span className={classes['role']}>{role}</span>
        {caller?.username === username && <Status tone="good">{t('you')}</Status>}
      </div>
      <Text className={rows['note'] ?? ''} component="div">
        {owned}
        {limits !== '' && ` · ${limits}`}
      </Text>
      <div className={rows['note']}>
        {lastLoginAt === 0 ? t('login.unknown') : t('login.at', { when: format.relative(lastLoginAt) })}
      </div>
    </div>
  );
}
