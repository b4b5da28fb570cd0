import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import blocks from '../../ui/display/Blocks.module.css';
import { Loaded, Page } from '../../ui/display/Page';
import { Credentials } from './Credentials';
import { Passkeys } from './Passkeys';
import { account } from './queries';
import { Sessions } from './Sessions';
import { SharedTwoFactor, TwoFactor } from './TwoFactor';

/** `#/account`: the name and the password of the admin, the second factors, and where the account is logged in. */
export function Account() {
  const { t } = useTranslation('account');
  const query = useQuery(account);
  const may = useMay();
  return (
    <Page title={t('title')}>
      <Loaded query={query}>
        {({ username, twoFactorEnable }) => (
          <div className={blocks['columns']}>
            <Credentials key={username} username={username} />
            <Stack gap="sm">
              <TwoFactor />
              <Passkeys />
              {twoFactorEnable && may('/panel/setting/secret') && <SharedTwoFactor />}
              <Sessions />
            </Stack>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
