import { Button, PasswordInput, SimpleGrid, Text, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { randomWord } from '../../model/random';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { NumberField } from '../../ui/form/NumberField';
import { type Admin, type Role, roles as rolesQuery, STALE } from './queries';
import { RoleFields } from './RoleFields';
import { gives, isLimited } from './roles';

const GB = 1024 ** 3;
const PASSWORD_LENGTH = 16;

interface Values {
  username: string;
  password: string;
  role: string;
  inbounds: string[];
  clients: number | string;
  totalGb: number | string;
  clientGb: number | string;
  days: number | string;
}

interface Props {
  /** Null = a new one. */
  readonly admin: Admin | null;
  readonly onClose: () => void;
}

/** Adds an admin, or changes what an admin may do. */
export function AdminForm({ admin, onClose }: Props) {
  const { t } = useTranslation(['access', 'shell']);
  const { data } = useQuery(rolesQuery);
  const roleOf = (name: string): Role | undefined => data?.roles.find((role) => role.name === name);
  const form = useForm<Values>({
    initialValues: valuesOf(admin),
    validate: {
      username: (value) => (value.trim() === '' ? t('form.required') : null),
      password: (value) => (admin === null && value === '' ? t('form.required') : null),
      inbounds: (value, { role }) => (isLimited(roleOf(role)) && value.length === 0 ? t('form.inboundNeeded') : null),
    },
  });
  const requestOf = (values: Values) => {
    const access = accessOf(values, roleOf(values.role));
    const { username, password } = values;
    return admin
      ? api.request('/panel/api/admins/access/:id', { params: { id: admin.id }, body: access })
      : api.request('/panel/api/admins/add', { body: { username: username.trim(), password, ...access } });
  };
  const undo = admin && (() => setAccess(admin));
  const { role, inbounds } = form.values;
  return (
    <DrawerForm
      title={admin ? t('changeTitle', { name: admin.username }) : t('addTitle')}
      submit={admin ? t('save', { ns: 'shell' }) : t('add')}
      form={form}
      request={requestOf}
      stale={STALE}
      {...(undo ? { undo } : { said: ({ username }: Values) => t('added', { name: username.trim() }) })}
      onClose={onClose}
    >
      {!admin && <Login form={form} />}
      <RoleFields
        role={role}
        onRole={(next) => form.setFieldValue('role', next)}
        inbounds={inbounds}
        onInbounds={(next) => form.setFieldValue('inbounds', next)}
        error={typeof form.errors['inbounds'] === 'string' ? form.errors['inbounds'] : undefined}
      />
      {gives(roleOf(role)) && <Quotas form={form} />}
    </DrawerForm>
  );
}

const setAccess = ({ id, role, inbounds, quotas }: Admin) =>
  api.post('/panel/api/admins/access/:id', { params: { id }, body: { role, inbounds, quotas } });

function valuesOf(admin: Admin | null): Values {
  const inGb = (bytes = 0): number | string => (bytes === 0 ? '' : bytes / GB);
  const { quotas } = admin ?? {};
  return {
    ...{ username: admin?.username ?? '', password: '', role: admin?.role ?? 'operator' },
    inbounds: (admin?.inbounds ?? []).map(String),
    ...{ clients: quotas?.clients || '', days: quotas?.days || '' },
    ...{ totalGb: inGb(quotas?.totalBytes), clientGb: inGb(quotas?.clientBytes) },
  };
}

/** What the role has no use for is removed. */
function accessOf({ role, inbounds, clients, totalGb, clientGb, days }: Values, of: Role | undefined) {
  const bytes = (gb: number | string): number => Math.round(Number(gb) * GB);
  const none = { clients: 0, days: 0, totalBytes: 0, clientBytes: 0 };
  const quotas = { clients: Number(clients), days: Number(days) };
  return {
    role,
    inbounds: isLimited(of) ? inbounds.map(Number) : [],
    quotas: gives(of) ? { ...quotas, totalBytes: bytes(totalGb), clientBytes: bytes(clientGb) } : none,
  };
}

type FormProps = { readonly form: UseFormReturnType<Values> };

function Login({ form }: FormProps) {
  const { t } = useTranslation('access');
  return (
    <>
      <TextInput
        label={t('form.name')}
        dir="auto"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('username')}
      />
      <div>
        <PasswordInput
          label={t('form.password')}
          description={t('form.passwordHelp')}
          dir="ltr"
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <Button
          mt={4}
          size="compact-xs"
          variant="default"
          onClick={() => form.setFieldValue('password', randomWord(PASSWORD_LENGTH))}
        >
          {t('form.generate')}
        </Button>
      </div>
    </>
  );
}

function Quotas({ form }: FormProps) {
  const { t } = useTranslation('access');
  return (
    <div role="group" aria-label={t('form.quotas')}>
      <Text size="sm" fw={600}>
        {t('form.quotas')}
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        {t('form.quotasHelp')}
      </Text>
      <SimpleGrid cols={2} spacing="sm">
        {(['clients', 'days', 'totalGb', 'clientGb'] as const).map((name) => (
          <NumberField
            key={name}
            label={t(`quota.${name}`)}
            min={0}
            whole={name === 'clients' || name === 'days'}
            suffix={name === 'totalGb' || name === 'clientGb' ? ' GB' : ''}
            placeholder={t('quota.none')}
            hideControls
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
    </div>
  );
}
