import { Alert } from '@mantine/core';
import IconLock from '@tabler/icons-react/dist/esm/icons/IconLock.mjs';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type GuardedPath, me, useMay } from '../../api/access';
import type { Permission } from '../../api/contract.generated';
import { moment } from '../../api/moment';
import classes from './Locked.module.css';

interface Props {
  /** The path of the API to which the inputs and buttons lead, or its permission where the body of the request decides. */
  readonly unless: GuardedPath | Permission;
  readonly children: ReactNode;
}

/** Inputs and buttons of a change: a role without its path can read them, and not use them. */
export function Locked({ unless, children }: Props) {
  const isLocked = !useMay()(unless);
  return (
    <fieldset disabled={isLocked} className={classes['locked']}>
      {children}
    </fieldset>
  );
}

/** Says that the role can read a screen and not change it; nothing for a role that can. */
export function ReadOnlyNote({ unless }: Pick<Props, 'unless'>) {
  const { t } = useTranslation('shell');
  const { data } = useQuery(me);
  // The frame says so for an earlier moment.
  if (useMay()(unless) || moment !== null) return null;
  return (
    <Alert color="gray" variant="light" p="sm" icon={<IconLock />} role="note">
      {t('readOnly', { role: data?.role ?? '' })}
    </Alert>
  );
}
