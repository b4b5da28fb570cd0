import { Button, Menu } from '@mantine/core';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import IconEye from '@tabler/icons-react/dist/esm/icons/IconEye.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { Loaded, Section } from '../../ui/display/Page';
import rows from '../../ui/display/Rows.module.css';
import { useAction } from '../../ui/feedback/action';
import { useRowMenu } from '../../ui/table/RowMenu';
import classes from './Access.module.css';
import { admins as adminsQuery, type Role, type Roles, roles as rolesQuery, STALE } from './queries';
import { About } from './RoleFields';
import { RoleForm } from './RoleForm';
import { OWNER } from './roles';

/** What is open: a role to look at or to change, or a new one with the permissions of another. */
type Opened = { readonly role: Role; readonly isNew: boolean } | null;
const NEW: Role = {
  name: '',
  builtIn: false,
  admins: 0,
  grants: (['account:read', 'account:update', 'docs:read'] as const).map((permission) => ({
    permission,
    scope: 'all',
  })),
};

/** The roles: those of every panel, and own ones. */
export function RoleList() {
  const { t } = useTranslation('access');
  const query = useQuery(rolesQuery);
  const mayAdd = useMay()('/panel/api/roles/save');
  const [opened, setOpened] = useState<Opened>(null);
  return (
    <Section
      title={t('roles')}
      actions={
        mayAdd && (
          <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened({ role: NEW, isNew: true })}>
            {t('roles.add')}
          </Button>
        )
      }
    >
      <Loaded query={query} rows={5}>
        {(all) => (
          <>
            <List roles={all} onOpened={setOpened} />
            {opened && <RoleForm {...opened} permissions={all.permissions} onClose={() => setOpened(null)} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function List({ roles: { roles }, onOpened }: { readonly roles: Roles; readonly onOpened: (opened: Opened) => void }) {
  const { t } = useTranslation('access');
  const may = useMay();
  const maySave = may('/panel/api/roles/save');
  const removing = useAction<Role>({
    stale: STALE,
    run: ({ name }) => api.post('/panel/api/roles/del/:name', { params: { name } }),
    undo: ({ name, grants }) => api.post('/panel/api/roles/save', { body: { name, grants } }),
  });
  const [menuButton, menu] = useRowMenu<Role>(
    ({ name }) => t('actionsFor', { name }),
    (role) => {
      const isEditable = maySave && !role.builtIn;
      return (
        <>
          <Menu.Item
            leftSection={isEditable ? <IconPencil size={16} /> : <IconEye size={16} />}
            onClick={() => onOpened({ role, isNew: false })}
          >
            {t(isEditable ? 'roles.edit' : 'roles.view')}
          </Menu.Item>
          {maySave && role.name !== OWNER && (
            <Menu.Item
              leftSection={<IconCopy size={16} />}
              onClick={() => onOpened({ role: { ...role, name: '', builtIn: false, admins: 0 }, isNew: true })}
            >
              {t('roles.copy')}
            </Menu.Item>
          )}
          {!role.builtIn && may('/panel/api/roles/del/:name') && (
            <>
              <Menu.Divider />
              <Menu.Item
                color="red"
                leftSection={<IconTrash size={16} />}
                disabled={role.admins > 0}
                onClick={() => removing.mutate(role)}
              >
                {t('delete')}
              </Menu.Item>
            </>
          )}
        </>
      );
    },
  );
  return (
    <>
      <ul className={blocks['list']} aria-label={t('roles')}>
        {roles.map((role) => (
          <li key={role.name} className={rows['row']}>
            <div className={rows['main']}>
              <div className={rows['name']}>
                <bdi>{role.name}</bdi>
                {role.builtIn && <span className={classes['role']}>{t('roles.builtIn')}</span>}
              </div>
              <div className={rows['note']}>
                <About role={role} />
              </div>
              <Holders role={role} />
            </div>
            {menuButton(role)}
          </li>
        ))}
      </ul>
      {menu}
    </>
  );
}

/** Who has a role: one that is in use cannot be deleted. */
function Holders({ role }: { readonly role: Role }) {
  const { t } = useTranslation('access');
  const { data = [] } = useQuery(adminsQuery);
  const names = data.filter((admin) => admin.role === role.name).map(({ username }) => `\u2068${username}\u2069`);
  if (names.length === 0) return <div className={rows['note']}>{t('roles.unused')}</div>;
  return <div className={rows['note']}>{t('roles.usedBy', { count: names.length, list: names.join(', ') })}</div>;
}
