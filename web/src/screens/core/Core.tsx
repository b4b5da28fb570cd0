// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Stack, Tabs } from '@mantine/core';
import IconFileText from '@tabler/icons-react/dist/esm/icons/IconFileText.mjs';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Route, Routes } from 'react-router';
import { useMay } from '../../api/access';
import { moment } from '../../api/moment';
import { Loaded, Loading, Page } from '../../ui/display/Page';
import { ReadOnlyNote } from '../../ui/form/Locked';
import { useFilters } from '../../ui/table/filters';
import classes from './Core.module.css';
import { useTemplate } from './draft';
import { type Stored, stored as storedQuery } from './queries';
import { SaveBar } from './SaveBar';

/** Each part is loaded when it is opened. */
const Control = lazy(async () => ({ default: (await import('./control/Control')).Control }));
const Logs = lazy(async () => ({ default: (await import('./Logs')).Logs }));
const Routing = lazy(async () => ({ default: (await import('./routing/Routing')).Routing }));
const Outbounds = lazy(async () => ({ default: (await import('./outbounds/Outbounds')).Outbounds }));
const Balancers = lazy(async () => ({ default: (await import('./routing/Balancers')).Balancers }));
const Providers = lazy(async () => ({ default: (await import('./providers/Providers')).Providers }));
const Dns = lazy(async () => ({ default: (await import('./routing/Dns')).Dns }));
const Template = lazy(async () => ({ default: (await import('./template/Template')).Template }));

/** Everything below `#/core`. */
export function Core() {
  return (
    <Suspense fallback={<Loading rows={6} />}>
      <Routes>
        <Route index element={<Overview />} />
        <Route path="logs" element={<Logs />} />
      </Routes>
    </Suspense>
  );
}

const TABS = ['state', 'routing', 'outbounds', 'providers', 'balancers', 'dns', 'template'] as const;
type Tab = (typeof TABS)[number];
/** The process has no recorded state. */
const FIRST: Tab = moment === null ? 'state' : 'routing';
const DEFAULTS = { tab: FIRST, view: 'edit' } as const;

function Overview() {
  const { t } = useTranslation('core');
  const query = useQuery(storedQuery);
  const may = useMay();
  return (
    <Page
      title={t('title')}
      actions={
        may('/panel/api/server/logs/:count') && (
          <Button component={Link} to="/core/logs" variant="default" leftSection={<IconFileText size={16} />}>
            {t('logs')}
          </Button>
        )
      }
    >
      <Loaded query={query}>{(stored) => <Screen stored={stored} />}</Loaded>
    </Page>
  );
}

function Screen({ stored }: { readonly stored: Stored }) {
  const { t } = useTranslation('core');
  const editor = useTemplate(stored);
  const may = useMay();
  // The accounts at the providers are read by the routes that change them.
  const tabs = TABS.filter((name) =>
    name === 'state' ? moment === null : name !== 'providers' || may('/panel/core/update'),
  );
  const [{ tab, view }, setFilters] = useFilters<'tab' | 'view'>(DEFAULTS);
  const shared = { editor, inboundTags: stored.inboundTags };
  return (
    <Stack gap="md">
      {tab !== 'state' && <ReadOnlyNote unless="/panel/core/update" />}
      <Tabs value={tab} onChange={(next) => setFilters({ tab: next ?? FIRST })} keepMounted={false}>
        <Tabs.List mb="md" className={classes['tabs'] ?? ''}>
          {tabs.map((name: Tab) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tab.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Suspense fallback={<Loading rows={6} />}>
            {tab === 'state' && may('/panel/api/server/status') && <Control />}
            {tab === 'routing' && <Routing {...shared} />}
            {tab === 'outbounds' && <Outbounds {...shared} />}
            {tab === 'providers' && may('/panel/core/update') && <Providers {...shared} />}
            {tab === 'balancers' && <Balancers {...shared} />}
            {tab === 'dns' && <Dns {...shared} />}
            {tab === 'template' && (
              <Template
                editor={editor}
                base={stored.template}
                view={view}
                onView={(next) => setFilters({ view: next })}
              />
            )}
          </Suspense>
        </Tabs.Panel>
      </Tabs>
      <SaveBar editor={editor} onDiff={() => setFilters({ tab: 'template', view: 'changes' })} />
    </Stack>
  );
}
