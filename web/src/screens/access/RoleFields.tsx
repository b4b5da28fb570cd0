import { MultiSelect, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/display/format';
import { type Role, roles as rolesQuery } from './queries';
import { isBuiltIn, isLimited } from './roles';
import { useInboundNames } from './words';

interface Props {
  readonly role: string;
  readonly onRole: (role: string) => void;
  readonly inbounds: readonly string[];
  readonly onInbounds: (inbounds: string[]) => void;
  readonly error?: string | undefined;
}

/** The role of an admin or a token in a list with what it includes, and the inbounds that a limited one needs. */
export function RoleFields({ role, onRole, inbounds, onInbounds, error }: Props) {
  const { t } = useTranslation('access');
  const { data } = useQuery(rolesQuery);
  const names = useInboundNames();
  const chosen = data?.roles.find(({ name }) => name === role);
  return (
    <>
      <NativeSelect
        label={t('form.role')}
        description={<About role={chosen} />}
        value={role}
        onChange={({ currentTarget }) => onRole(currentTarget.value)}
        data={(data?.roles ?? []).map(({ name }) => name)}
      />
      {isLimited(chosen) && (
        <MultiSelect
          label={t('form.inbounds')}
          description={t('form.inboundsHelp')}
          data={[...names].map(([id, name]) => ({ value: String(id), label: name }))}
          value={[...inbounds]}
          onChange={onInbounds}
          error={error}
          searchable
        />
      )}
    </>
  );
}

/** What a role is for: in words for a built-in one, as the number of its permissions for others. */
export function About({ role }: { readonly role: Role | undefined }) {
  const { t } = useTranslation('access');
  const format = useFormat();
  if (!role) return null;
  return (
    <Text span inherit>
      {isBuiltIn(role.name)
        ? t(`role.${role.name}`)
        : t('role.custom', { count: role.grants.length, n: format.number(role.grants.length) })}
    </Text>
  );
}
