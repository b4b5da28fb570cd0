import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import IconFilter from '@tabler/icons-react/dist/esm/icons/IconFilter.mjs';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { inbounds as inboundsQuery, nodes as nodesQuery } from '../../api/queries';
import { isDate } from '../../model/calendar';
import { inboundName } from '../../model/clients';
import { useFormat } from '../../ui/display/format';
import { DateField } from '../../ui/form/DateField';
import classes from './Audit.module.css';
import { DEFAULTS, type Filters, GROUPS, KINDS, MORE } from './filter';
import { auditTypes } from './queries';

interface Props {
  readonly filters: Filters;
  readonly onChange: (changes: Partial<Filters>) => void;
}

/** The filters of the list: the most frequent ones, and the others behind a button. */
export function FilterBar({ filters, onChange }: Props) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const more = MORE.filter((name) => filters[name] !== '').length;
  const [isOpen, setOpen] = useState(more > 0);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <div className={classes['filters']} role="search" aria-label={t('filters')}>
      <div className={classes['bar']}>
        <TypeChoice filters={filters} onChange={onChange} />
        <Words name="client" label={t('filter.client')} filters={filters} onChange={onChange} />
        <NativeSelect
          className={classes['choice']}
          aria-label={t('filter.by')}
          value={filters.by}
          onChange={({ currentTarget }) => onChange({ by: currentTarget.value })}
          data={[{ value: '', label: t('by.any') }, ...KINDS.map((value) => ({ value, label: t(`by.${value}`) }))]}
        />
        <Button
          variant="default"
          leftSection={<IconFilter size={16} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {more === 0 ? t('more') : t('more.count', { number: format.number(more) })}
        </Button>
        {isFiltered && (
          <Button variant="subtle" onClick={() => onChange(DEFAULTS)}>
            {t('clear')}
          </Button>
        )}
      </div>
      {isOpen && <More filters={filters} onChange={onChange} />}
    </div>
  );
}

/** A group of events or a single type. */
function TypeChoice({ filters, onChange }: Props) {
  const { t } = useTranslation('audit');
  const { data: types = [] } = useQuery(auditTypes);
  return (
    <NativeSelect
      className={classes['choice']}
      aria-label={t('filter.kind')}
      value={filters.kind}
      onChange={({ currentTarget }) => onChange({ kind: currentTarget.value })}
      data={[
        { value: '', label: t('kind.any') },
        ...GROUPS.map((group) => ({
          group: t(`group.${group}`),
          items: [
            { value: `group:${group}`, label: t('kind.all', { group: t(`group.${group}`) }) },
            ...types.filter((one) => one.group === group).map(({ type }) => ({ value: type, label: type })),
          ],
        })),
      ]}
    />
  );
}

function More({ filters, onChange }: Props) {
  const { t } = useTranslation('audit');
  return (
    <div className={classes['more']}>
      <Places filters={filters} onChange={onChange} />
      <Words name="actor" label={t('filter.actor')} filters={filters} onChange={onChange} />
      <Words name="ip" label={t('filter.ip')} filters={filters} onChange={onChange} />
      {(['from', 'to'] as const).map((name) => (
        <DateField
          key={name}
          label={t(`filter.${name}`)}
          timeOfDay={name === 'from' ? '00:00' : '23:59'}
          min={name === 'to' ? filters.from : undefined}
          max={name === 'from' ? filters.to : undefined}
          value={filters[name]}
          onChange={(value) => {
            if (value === '' || isDate(value)) onChange({ [name]: value });
          }}
        />
      ))}
      <Switch
        className={classes['switch'] ?? ''}
        label={t('filter.routine')}
        checked={filters.routine === 'true'}
        onChange={({ currentTarget }) => onChange({ routine: currentTarget.checked ? 'true' : '' })}
      />
    </div>
  );
}

/** The inbound and the node. One that the address names and that was deleted is offered by its number. */
function Places({ filters, onChange }: Props) {
  const { t } = useTranslation('audit');
  const may = useMay();
  const { data: inbounds = [] } = useQuery({ ...inboundsQuery, enabled: may('/panel/api/inbounds/overview') });
  const { data: nodes = [] } = useQuery({ ...nodesQuery, enabled: may('/panel/api/nodes/list') });
  const choices = {
    inbound: inbounds.map((one) => ({ value: String(one.id), label: `${inboundName(one)} · ${one.port}` })),
    node: nodes.map(({ id, name }) => ({ value: String(id), label: name })),
  };
  return (['inbound', 'node'] as const).map((name) => {
    const value = filters[name];
    const isKnown = value === '' || choices[name].some((one) => one.value === value);
    return (
      <NativeSelect
        key={name}
        label={t(`filter.${name}`)}
        value={value}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        data={[
          { value: '', label: t(`${name}.any`) },
          ...choices[name],
          ...(isKnown ? [] : [{ value, label: `#${value}` }]),
        ]}
      />
    );
  });
}

interface WordsProps extends Props {
  readonly name: 'client' | 'actor' | 'ip';
  readonly label: string;
}

/** A text that is searched for when it is complete: half an email or address would be refused. */
function Words({ name, label, filters, onChange }: WordsProps) {
  const value = filters[name];
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = (): void => {
    if (text.trim() !== value) onChange({ [name]: text.trim() });
  };
  return (
    <form
      className={name === 'client' ? classes['choice'] : undefined}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <TextInput
        type="search"
        {...(name === 'client' ? { 'aria-label': label, placeholder: label } : { label })}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={apply}
      />
    </form>
  );
}
