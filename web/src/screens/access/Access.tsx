// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { Page } from '../../ui/display/Page';
import { useFilters } from '../../ui/table/filters';
import classes from './Access.module.css';
import { Admins } from './Admins';
import { RoleList } from './RoleList';
import { Tokens } from './Tokens';

const TABS = ['admins', 'roles', 'tokens'] as const;
const DEFAULTS = { tab: 'admins' } as const;

/** `#/access`: who may use the panel, and for what. */
export function Access() {
  const { t } = useTranslation('access');
  const may = useMay();
  const [filters, setFilters] = useFilters<'tab'>(DEFAULTS);
  const tabs = TABS.filter((name) => name !== 'tokens' || may('/panel/api/tokens/list'));
  const tab = tabs.find((name) => name === filters.tab) ?? 'admins';
  return (
    <Page title={t('title')} summary={t('summary')}>
      <Tabs value={tab} onChange={(next) => setFilters({ tab: next ?? 'admins' })} keepMounted={false}>
        <div className={classes['tabs']}>
          <Tabs.List mb="md" style={{ flexWrap: 'nowrap', minWidth: 'max-content' }}>
            {tabs.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {t(`tab.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        <Tabs.Panel value={tab}>
          {tab === 'admins' && <Admins />}
          {tab === 'roles' && <RoleList />}
          {tab === 'tokens' && <Tokens />}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
