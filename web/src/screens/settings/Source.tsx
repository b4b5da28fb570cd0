import { Anchor, Text } from '@mantine/core';
import IconLock from '@tabler/icons-react/dist/esm/icons/IconLock.mjs';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingSource } from '../../api/contract.generated';
import { Technical } from '../../ui/display/format';
import { type Field, type SettingKey, sameValue, type Value } from './catalog';
import { type Change, change, revert } from './draft';
import classes from './Settings.module.css';
import { valueWords } from './words';

/** Where the value comes from, with its default, and the way back. */
export function Source({ field, edited }: { readonly field: Field; readonly edited: Change | undefined }): ReactNode {
  const { t } = useTranslation('settings');
  const saved = (
    <Anchor component="button" type="button" size="xs" onClick={() => revert(field.key)}>
      {t('revert')}
    </Anchor>
  );
  if (field.secret)
    return (
      <Text size="xs" className={classes['source']} component="div">
        {edited ? (
          <span>{t('unsaved')}</span>
        ) : (
          <span>{t(field.isSet ? 'source.secretSet' : 'source.secretNotSet')}</span>
        )}
        {edited && saved}
      </Text>
    );
  const { source } = field;
  if (source.variable !== null) return <Locked source={source} variable={source.variable} />;
  const shown = edited && !edited.secret ? edited.to : field.value;
  const isDefault = sameValue(shown, source.default);
  return (
    <Text size="xs" className={classes['source']} component="div">
      <span>{t(edited ? 'unsaved' : isDefault ? 'source.default' : 'source.log')}</span>
      {!isDefault && (
        <span>
          {t('default')} <Technical>{valueWords(t, source.default as Value)}</Technical>
        </span>
      )}
      {edited ? saved : !isDefault && <Reset field={field} />}
      {source.atRestart && <span>{t(source.pending ? 'pending' : 'atRestart')}</span>}
    </Text>
  );
}

function Reset({ field }: { readonly field: Extract<Field, { readonly secret: false; readonly key: SettingKey }> }) {
  const { t } = useTranslation('settings');
  return (
    <Anchor
      component="button"
      type="button"
      size="xs"
      aria-label={t('resetOf', { name: t(field.key) })}
      onClick={() => change(field, field.source.default as Value)}
    >
      {t('reset')}
    </Anchor>
  );
}

function Locked({ source, variable }: { readonly source: SettingSource; readonly variable: string }) {
  const { t } = useTranslation('settings');
  return (
    <Text size="xs" className={`${classes['source']} ${classes['locked']}`} component="div">
      <IconLock size={14} aria-hidden />
      <span>
        {t(source.source === 'flag' ? 'locked.flag' : 'locked.environment', { name: `\u2068${variable}\u2069` })}
      </span>
    </Text>
  );
}
