// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { NativeSelect, NavLink, Switch, TextInput } from '@mantine/core';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingSources } from '../../api/contract.generated';
import { Loaded, Page } from '../../ui/display/Page';
import { useLeaveGuard } from '../../ui/feedback/leave';
import { ReadOnlyNote } from '../../ui/form/Locked';
import { useFilters } from '../../ui/table/filters';
import { type FieldKey, fields, GROUPS, type Group } from './catalog';
import { type Draft, discardAll, useDraft } from './draft';
import { Fields } from './Fields';
import { sources as sourcesQuery } from './queries';
import { RestartBanner } from './Restart';
import { Review } from './Review';
import { SaveBar } from './SaveBar';
import classes from './Settings.module.css';

const DEFAULTS = { group: 'server', search: '', show: 'all' } as const;

export function Settings() {
  const { t } = useTranslation('settings');
  const query = useQuery(sourcesQuery);
  const draft = useDraft();
  useLeaveGuard({
    isDirty: draft.changes.size > 0,
    home: '/settings',
    title: t('leave.title'),
    body: t('leave.body', { count: draft.changes.size }),
    leave: t('leave.leave'),
    stay: t('leave.stay'),
    onLeave: discardAll,
  });
  return (
    <Page title={t('title')} summary={t('summary')}>
      <ReadOnlyNote unless="/panel/setting/update" />
      <Loaded query={query} rows={8}>
        {(sources) => <Editor sources={sources} draft={draft} />}
      </Loaded>
    </Page>
  );
}

function Editor({ sources, draft }: { readonly sources: SettingSources; readonly draft: Draft }) {
  const { t } = useTranslation('settings');
  const [filters, setFilters] = useFilters<'group' | 'search' | 'show'>(DEFAULTS);
  const [isReviewing, setReviewing] = useState(false);
  const [wanted, setWanted] = useState<FieldKey | null>(null);
  const group = GROUPS.find((one) => one === filters.group) ?? 'server';
  useEffect(() => {
    if (wanted === null) return;
    const row = document.querySelector(`[data-field="${wanted}"]`);
    // The address changes after the state, and the effect runs again with the group of the field.
    if (!row) return;
    row.scrollIntoView({ block: 'center' });
    // A changed field has a button before its input, which takes the change back.
    const input =
      row.querySelector<HTMLElement>(`#setting-${wanted}`) ?? row.querySelector<HTMLElement>('input, button');
    input?.focus({ preventScroll: true });
    setWanted(null);
  }, [wanted, filters]);
  const show = (key: FieldKey): void => {
    setFilters({ group: fields[key]?.group ?? group, search: '', show: 'all' });
    setWanted(key);
  };
  return (
    <>
      <RestartBanner sources={sources} />
      <div className={classes['tools']}>
        <TextInput
          type="search"
          className={classes['search']}
          aria-label={t('search')}
          placeholder={t('search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={filters.search}
          onChange={({ currentTarget }) => setFilters({ search: currentTarget.value })}
        />
        <Switch
          label={t('onlyChanged')}
          checked={filters.show === 'changed'}
          onChange={({ currentTarget }) => setFilters({ show: currentTarget.checked ? 'changed' : 'all' })}
        />
      </div>
      <div className={classes['layout']}>
        <Navigation
          group={filters.search === '' && filters.show === 'all' ? group : null}
          draft={draft}
          onGroup={(next) => setFilters({ group: next, search: '', show: 'all' })}
        />
        <Fields sources={sources} draft={draft} group={group} search={filters.search.trim()} show={filters.show} />
      </div>
      <SaveBar draft={draft} onReview={() => setReviewing(true)} onShow={show} />
      <Review
        opened={isReviewing}
        onClose={() => setReviewing(false)}
        draft={draft}
        sources={sources}
        onRefused={([first]) => first !== undefined && show(first)}
      />
    </>
  );
}

interface NavigationProps {
  /** Null while a search shows settings of all groups. */
  readonly group: Group | null;
  readonly draft: Draft;
  readonly onGroup: (group: Group) => void;
}

function Navigation({ group, draft, onGroup }: NavigationProps) {
  const { t } = useTranslation('settings');
  const changed = (one: Group): number => [...draft.changes.keys()].filter((key) => fields[key].group === one).length;
  return (
    <nav aria-label={t('groups')} className={classes['groups']}>
      <div className={classes['wide']}>
        {GROUPS.map((one) => (
          <NavLink
            key={one}
            component="button"
            type="button"
            label={t(`group.${one}`)}
            active={one === group}
            aria-current={one === group ? 'page' : undefined}
            rightSection={changed(one) > 0 ? <span className={classes['count']}>{changed(one)}</span> : undefined}
            onClick={() => onGroup(one)}
          />
        ))}
      </div>
      <NativeSelect
        className={classes['narrow']}
        aria-label={t('groups')}
        value={group ?? ''}
        onChange={({ currentTarget }) => onGroup(currentTarget.value as Group)}
        data={[
          ...(group === null ? [{ value: '', label: t('allGroups') }] : []),
          ...GROUPS.map((value) => ({ value, label: t(`group.${value}`) })),
        ]}
      />
    </nav>
  );
}
