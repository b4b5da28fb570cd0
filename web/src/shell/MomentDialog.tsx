import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { addressAt, moment } from '../api/moment';
import { isDate } from '../model/calendar';
import { Dialog } from '../ui/feedback/Dialog';
import { DateField } from '../ui/form/DateField';
import { SegmentedControl } from '../ui/form/SegmentedControl';

type Kind = 'time' | 'position';

/** Chooses the moment of the past that the page shows. */
export function MomentDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('shell');
  const { pathname } = useLocation();
  const [kind, setKind] = useState<Kind>(moment !== null && /^\d+$/.test(moment) ? 'position' : 'time');
  const [time, setTime] = useState(() => localTime(kind === 'time' && moment !== null ? new Date(moment) : new Date()));
  const [position, setPosition] = useState(kind === 'position' ? (moment ?? '') : '');
  const at = kind === 'time' ? isoOf(time) : position.trim();
  const isGiven = kind === 'time' ? at !== '' : /^[1-9]\d*$/.test(at);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isGiven) location.assign(addressAt(at, screenOf(pathname)));
  };
  return (
    <Dialog onClose={onClose} title={t('past.title')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{t('past.body')}</Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={t('past.title')}
            value={kind}
            onChange={(value) => setKind(value === 'position' ? 'position' : 'time')}
            data={[
              { value: 'time', label: t('past.time') },
              { value: 'position', label: t('past.position') },
            ]}
          />
          {kind === 'time' ? (
            <DateField
              label={t('past.time')}
              timeOfDay="00:00"
              max={localTime(new Date())}
              value={time}
              onChange={setTime}
              data-autofocus
            />
          ) : (
            <TextInput
              label={t('past.position')}
              description={t('past.positionHelp')}
              inputMode="numeric"
              dir="ltr"
              value={position}
              onChange={({ currentTarget }) => setPosition(currentTarget.value)}
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" disabled={!isGiven}>
              {t('past.show')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** The screens that exist at an earlier moment; another one leads to the first of them that the role includes. */
const PAST_SCREENS: ReadonlySet<string> = new Set(['inbounds', 'clients', 'nodes', 'settings', 'core']);

function screenOf(pathname: string): string {
  const [, id = ''] = pathname.split('/');
  return PAST_SCREENS.has(id) ? pathname : '/';
}

/** A time as the field takes it, in the time zone of the browser. */
function localTime(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function isoOf(time: string): string {
  return isDate(time) ? new Date(time).toISOString() : '';
}
