import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { SidePanel } from '../../ui/feedback/SidePanel';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { type Granted, Matrix } from './Matrix';
import { type PermissionInfo, type Role, STALE } from './queries';

interface Values {
  name: string;
  granted: Granted;
}

interface Props {
  readonly role: Role;
  /** A new role that starts with these permissions. */
  readonly isNew: boolean;
  readonly permissions: readonly PermissionInfo[];
  readonly onClose: () => void;
}

const save = ({ name, grants }: Pick<Role, 'name' | 'grants'>) =>
  api.request('/panel/api/roles/save', { body: { name, grants } });
const grantedBy = ({ grants }: Role): Granted =>
  Object.fromEntries(grants.map(({ permission, scope }) => [permission, scope]));

/** The permissions of a role. Those of a built-in role can only be read. */
export function RoleForm({ role, isNew, permissions, onClose }: Props) {
  const { t } = useTranslation(['access', 'shell']);
  const may = useMay();
  const form = useForm<Values>({
    initialValues: { name: role.name, granted: grantedBy(role) },
    validate: { name: (value) => (/^[a-z][a-z0-9-]{0,31}$/.test(value.trim()) ? null : t('roles.nameWrong')) },
  });
  if (role.builtIn || !may('/panel/api/roles/save'))
    return (
      <SidePanel title={t('roles.viewTitle', { name: role.name })} size="lg" onClose={onClose}>
        <fieldset disabled style={{ border: 0, margin: 0, padding: 0, minInlineSize: 0 }}>
          <Matrix permissions={permissions} granted={grantedBy(role)} onChange={() => undefined} />
        </fieldset>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            {t('close', { ns: 'shell' })}
          </Button>
        </Group>
      </SidePanel>
    );
  const asRole = ({ name, granted }: Values) => ({
    name: name.trim(),
    grants: Object.entries(granted).map(([permission, scope]) => ({ permission, scope })),
  });
  return (
    <DrawerForm
      title={isNew ? t('roles.addTitle') : t('roles.editTitle', { name: role.name })}
      submit={isNew ? t('roles.add') : t('save', { ns: 'shell' })}
      form={form}
      size="lg"
      request={(values) => save(asRole(values))}
      stale={STALE}
      undo={({ name }) =>
        isNew ? api.post('/panel/api/roles/del/:name', { params: { name: name.trim() } }) : save(role).send()
      }
      onClose={onClose}
    >
      {isNew && (
        <TextInput
          label={t('roles.name')}
          description={t('roles.nameHelp')}
          dir="ltr"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('name')}
        />
      )}
      <Matrix
        permissions={permissions.filter(({ reserved }) => !reserved)}
        granted={form.values.granted}
        onChange={(granted) => form.setFieldValue('granted', granted)}
      />
    </DrawerForm>
  );
}
