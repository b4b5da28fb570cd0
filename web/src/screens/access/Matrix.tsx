import { Checkbox, NativeSelect, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './Access.module.css';
import type { PermissionInfo, Scope } from './queries';
import type en from './texts/en.json';

/** The permissions of a role, and where each holds. */
export type Granted = Readonly<Record<string, Scope>>;

interface Props {
  readonly permissions: readonly PermissionInfo[];
  readonly granted: Granted;
  readonly onChange: (granted: Granted) => void;
}

/** With a part of the clients, a role may have no other permissions than these. */
const WITH_SOME_CLIENTS = new Set(['clients', 'account', 'docs', 'keys']);
const SCOPES = ['all', 'own', 'inbounds'] as const;

/** Every permission by resource: a checkbox, or for clients where it holds. */
export function Matrix({ permissions, granted, onChange }: Props) {
  const { t } = useTranslation('access');
  const read = granted['clients:read'];
  const seesSome = read !== undefined && read !== 'all';
  const set = (permission: string, scope: Scope | null): void => {
    const { [permission]: _, ...others } = granted;
    onChange(scope === null ? others : { ...others, [permission]: scope });
  };
  return (
    <div className={classes['matrix']}>
      {seesSome && (
        <Text size="xs" c="dimmed">
          {t('matrix.limited')}
        </Text>
      )}
      {groupsOf(permissions).map(([resource, those]) => (
        <fieldset
          key={resource}
          className={classes['resource']}
          disabled={seesSome && !WITH_SOME_CLIENTS.has(resource)}
        >
          <legend>{t(`resource.${resource}` as keyof typeof en)}</legend>
          <div className={those.some(({ scoped }) => scoped) ? classes['scopes'] : classes['actions']}>
            {those.map((info) => (
              <Cell key={info.permission} info={info} scope={granted[info.permission]} set={set} />
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  );
}

/** The permissions by resource, in their order. */
function groupsOf(permissions: readonly PermissionInfo[]): readonly (readonly [string, readonly PermissionInfo[]])[] {
  const groups = new Map<string, PermissionInfo[]>();
  for (const info of permissions) {
    const [resource = ''] = info.permission.split(':');
    groups.set(resource, [...(groups.get(resource) ?? []), info]);
  }
  return [...groups];
}

interface CellProps {
  readonly info: PermissionInfo;
  /** Undefined = not granted. */
  readonly scope: Scope | undefined;
  readonly set: (permission: string, scope: Scope | null) => void;
}

function Cell({ info: { permission, scoped }, scope, set }: CellProps) {
  const { t } = useTranslation('access');
  const label = t(`action.${permission.split(':')[1]}` as keyof typeof en);
  if (!scoped)
    return (
      <Checkbox
        size="xs"
        label={label}
        checked={scope !== undefined}
        onChange={({ currentTarget }) => set(permission, currentTarget.checked ? 'all' : null)}
      />
    );
  return (
    <NativeSelect
      size="xs"
      label={label}
      value={scope ?? ''}
      onChange={({ currentTarget }) => set(permission, SCOPES.find((one) => one === currentTarget.value) ?? null)}
      data={[{ value: '', label: t('scope.none') }, ...SCOPES.map((value) => ({ value, label: t(`scope.${value}`) }))]}
    />
  );
}
