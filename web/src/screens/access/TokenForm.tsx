import { NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { isDate, today, valueOfDay } from '../../model/calendar';
import { localDate } from '../../model/local-date';
import { DateField } from '../../ui/form/DateField';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { type AccessToken, admins as adminsQuery, roles as rolesQuery, STALE } from './queries';
import { RoleFields } from './RoleFields';
import { isLimited } from './roles';
import type { Created, Secret } from './Secrets';

interface Values {
  name: string;
  role: string;
  inbounds: string[];
  admin: string;
  expires: string;
  addresses: string[];
}

interface Props {
  /** Null = a new token. */
  readonly token: AccessToken | null;
  readonly onSecret: (secret: Secret) => void;
  readonly onClose: () => void;
}

/** Creates a token for a program, whose secret is shown afterwards, or changes one. */
export function TokenForm({ token, onSecret, onClose }: Props) {
  const { t } = useTranslation('access');
  const { data: roles } = useQuery(rolesQuery);
  const { data: admins = [] } = useQuery(adminsQuery);
  const needsInbounds = (name: string): boolean => isLimited(roles?.roles.find((role) => role.name === name));
  const form = useForm<Values>({
    initialValues: valuesOf(token),
    validate: {
      name: (value) => (value.trim() === '' ? t('form.required') : null),
      expires: (value) => (value === '' || isDate(value) ? null : t('form.required')),
      inbounds: (value, { role }) => (needsInbounds(role) && value.length === 0 ? t('form.inboundNeeded') : null),
    },
  });
  const { role, inbounds, name } = form.values;
  return (
    <DrawerForm<Values, Created | null>
      title={token ? t('tokens.editTitle', { name: token.name }) : t('tokens.addTitle')}
      submit={t(token ? 'tokens.save' : 'tokens.add')}
      form={form}
      request={(values) => {
        const body = bodyOf(values, needsInbounds(values.role), token);
        return token
          ? api.request('/panel/api/tokens/update/:id', { params: { id: token.id }, body })
          : api.request('/panel/api/tokens/add', { body });
      }}
      stale={STALE}
      said={() => t(token ? 'tokens.changed' : 'tokens.added', { name: name.trim() })}
      onDone={({ obj }) => obj && onSecret({ name: name.trim(), secret: obj.secret })}
      onClose={onClose}
    >
      <TextInput
        label={t('tokens.name')}
        description={t('tokens.nameHelp')}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <RoleFields
        role={role}
        onRole={(next) => form.setFieldValue('role', next)}
        inbounds={inbounds}
        onInbounds={(next) => form.setFieldValue('inbounds', next)}
        error={typeof form.errors['inbounds'] === 'string' ? form.errors['inbounds'] : undefined}
      />
      <NativeSelect
        label={t('tokens.admin')}
        description={t('tokens.adminHelp')}
        data={[
          { value: '0', label: t('tokens.noAdmin') },
          ...admins.map(({ id, username }) => ({ value: String(id), label: username })),
        ]}
        {...form.getInputProps('admin')}
      />
      <DateField
        min={valueOfDay(today())}
        label={t('tokens.expires')}
        description={t('tokens.expiresHelp')}
        {...form.getInputProps('expires')}
      />
      <TagsInput
        label={t('tokens.addresses')}
        description={t('tokens.addressesHelp')}
        dir="ltr"
        splitChars={[',', ' ']}
        acceptValueOnBlur
        {...form.getInputProps('addresses')}
      />
    </DrawerForm>
  );
}

/** The token is valid through the day of its expiry, in the time zone of the browser. */
function bodyOf(
  { name, role, inbounds, admin, expires, addresses }: Values,
  needsInbounds: boolean,
  token: AccessToken | null,
) {
  // A day that was not changed keeps the time of day.
  const isKept = token !== null && expires === dayOf(token.expiresAt);
  const chosen = expires === '' ? 0 : new Date(`${expires}T23:59:59`).getTime();
  const expiresAt = isKept ? token.expiresAt : chosen;
  return {
    ...{ name: name.trim(), role, admin: Number(admin), expiresAt, addresses },
    inbounds: needsInbounds ? inbounds.map(Number) : [],
  };
}

const dayOf = (expiresAt: number): string => (expiresAt === 0 ? '' : localDate(expiresAt));

function valuesOf(token: AccessToken | null): Values {
  if (!token) return { name: '', role: 'monitoring', inbounds: [], admin: '0', expires: '', addresses: [] };
  const { name, role, inbounds, admin, expiresAt, addresses } = token;
  const lists = { inbounds: inbounds.map(String), addresses: [...addresses] };
  return { name, role, admin: String(admin), expires: dayOf(expiresAt), ...lists };
}
