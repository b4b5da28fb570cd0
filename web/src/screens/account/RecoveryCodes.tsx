import { Button, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/display/CopyButton';
import { Dialog } from '../../ui/feedback/Dialog';
import classes from './Account.module.css';

/** Shows recovery codes, which the panel does not show again. */
export function RecoveryCodes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  const { t } = useTranslation('account');
  return (
    <Dialog onClose={onClose} title={t('codes.title')} closeOnClickOutside={false}>
      <Stack gap="md">
        <Text size="sm">{t('codes.body')}</Text>
        <ul className={classes['codes']} dir="ltr">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <Group justify="space-between">
          <CopyButton text={codes.join('\n')} label={t('codes.copy')} />
          <Button onClick={onClose}>{t('codes.kept')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
