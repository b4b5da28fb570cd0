import { Anchor, Checkbox, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Locked } from '../../ui/form/Locked';
import { Control } from './Control';
import { type Field, fields, sameValue } from './catalog';
import { type Change, change, trustEveryProxy } from './draft';
import { SecretControl } from './SecretControl';
import classes from './Settings.module.css';
import { Source } from './Source';
import { valueWords } from './words';

interface Props {
  readonly field: Field;
  readonly edited: Change | undefined;
  readonly error: string | undefined;
  readonly trustsEveryProxy: boolean;
}

/** A setting: label, help and source on one side, its input and what is wrong with it on the other. */
export const FieldRow = memo(function FieldRow({ field, edited, error, trustsEveryProxy }: Props) {
  const { t } = useTranslation('settings');
  const { key } = field;
  const id = `setting-${key}`;
  const describedBy = `${id}-help ${id}-error`;
  return (
    <Locked unless={field.secret ? '/panel/setting/secret' : field.source.permission}>
      <div className={classes['row']} data-edited={edited !== undefined || undefined} data-field={key}>
        <div className={classes['about']}>
          <label htmlFor={id} className={classes['label']}>
            {t(key)}
          </label>
          <Text id={`${id}-help`} size="sm" c="dimmed">
            {t(`${key}.help`)}
          </Text>
          <Source field={field} edited={edited} />
        </div>
        <div className={classes['control']}>
          {fields[key].input === 'account' ? (
            <Elsewhere field={field} />
          ) : field.secret ? (
            <SecretControl {...{ id, describedBy, field, edited, hasError: error !== undefined }} />
          ) : (
            <Control
              {...{ id, describedBy, source: field.source }}
              input={fields[key].input}
              value={edited && !edited.secret ? edited.to : field.value}
              hasError={error !== undefined}
              set={(value) => change(field, value)}
            />
          )}
          <Text
            id={`${id}-error`}
            size="sm"
            c="var(--bad)"
            className={classes['error']}
            role={error === undefined ? undefined : 'alert'}
          >
            {error}
          </Text>
          {key === 'trustedProxyCIDRs' && error !== undefined && (
            <Checkbox
              size="sm"
              mt={4}
              label={t('trustEveryProxy')}
              checked={trustsEveryProxy}
              onChange={({ currentTarget }) => trustEveryProxy(currentTarget.checked)}
            />
          )}
          <Stale field={field} edited={edited} />
        </div>
      </div>
    </Locked>
  );
});

/** Two-factor login is set up with a code, on the screen of the account. */
function Elsewhere({ field }: { readonly field: Field }): ReactNode {
  const { t } = useTranslation('settings');
  const isOn = field.secret ? field.isSet : field.value === true;
  return (
    <Text size="sm" id={`setting-${field.key}`}>
      {field.secret ? t(isOn ? 'set' : 'notSet') : t(isOn ? 'on' : 'off')}
      {' · '}
      <Anchor component={Link} to="/account" size="sm" inherit>
        {t('toAccount')}
      </Anchor>
    </Text>
  );
}

/** Another admin has saved the field since it was edited here. */
function Stale({ field, edited }: Pick<Props, 'field' | 'edited'>): ReactNode {
  const { t } = useTranslation('settings');
  if (field.secret || !edited || edited.secret || sameValue(edited.from, field.value)) return null;
  return (
    <Text size="sm" c="var(--warn)" role="status">
      {t('stale', { value: valueWords(t, field.value) })}
    </Text>
  );
}
