import { Button, Group, PasswordInput, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Status } from '../../ui/display/Status';
import type { Field } from './catalog';
import { type Change, changeSecret, revert } from './draft';

interface Props {
  readonly id: string;
  readonly describedBy: string;
  readonly field: Extract<Field, { readonly secret: true }>;
  readonly edited: Change | undefined;
  readonly hasError: boolean;
}

/** A secret: whether it is set, and how to replace or remove it. Its value never comes back from the panel. */
export function SecretControl({ id, describedBy, field: { key, isSet }, edited, hasError }: Props) {
  const { t } = useTranslation('settings');
  const name = t(key);
  if (edited && edited.to !== null) {
    const shared = {
      ...{ id, 'aria-describedby': describedBy, error: hasError, dir: 'ltr', autoComplete: 'new-password' },
      ...{ value: String(edited.to), placeholder: t('newValue'), autoFocus: edited.to === '' },
      onChange: (event: { currentTarget: { value: string } }) => changeSecret(key, event.currentTarget.value),
    };
    // A registration is JSON of several lines.
    return key === 'wgprov' || key === 'vpnprov' ? <Textarea {...shared} rows={4} /> : <PasswordInput {...shared} />;
  }
  const isRemoved = edited !== undefined;
  return (
    <Group gap="sm" id={id} role="group" aria-label={name} aria-describedby={describedBy}>
      <Status tone={isRemoved ? 'warn' : isSet ? 'good' : 'quiet'}>
        {t(isRemoved ? 'willBeRemoved' : isSet ? 'set' : 'notSet')}
      </Status>
      <Button
        size="xs"
        variant="default"
        aria-label={t(isSet ? 'replaceOf' : 'enterOf', { name })}
        onClick={() => changeSecret(key, '')}
      >
        {t(isSet ? 'replace' : 'enter')}
      </Button>
      {isSet && (
        <Button
          size="xs"
          variant="subtle"
          color="red"
          aria-label={t(isRemoved ? 'keepOf' : 'removeOf', { name })}
          onClick={() => (isRemoved ? revert(key) : changeSecret(key, null))}
        >
          {t(isRemoved ? 'keep' : 'remove')}
        </Button>
      )}
    </Group>
  );
}
