import { ActionIcon, Button, Group } from '@mantine/core';
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconChevronsLeft from '@tabler/icons-react/dist/esm/icons/IconChevronsLeft.mjs';
import IconChevronsRight from '@tabler/icons-react/dist/esm/icons/IconChevronsRight.mjs';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Calendar, today } from '../../model/calendar';
import classes from './MonthGrid.module.css';

interface Props {
  readonly calendar: Calendar;
  /** The chosen day; all days count from 1970-01-01. */
  readonly day: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly onChoose: (day: number) => void;
  readonly onClose: () => void;
}

const TURNS = [
  ['date.previousYear', -12, IconChevronsLeft],
  ['date.previousMonth', -1, IconChevronLeft],
  ['date.nextMonth', 1, IconChevronRight],
  ['date.nextYear', 12, IconChevronsRight],
] as const;

/** A month to choose a day from, with the keys of the ARIA grid pattern. */
export function MonthGrid({ calendar, day, min, max, onChoose, onClose }: Props) {
  const { t } = useTranslation('shell');
  const within = (one: number): number => Math.min(max ?? one, Math.max(min ?? one, one));
  const [active, setActive] = useState(() => within(day ?? today()));
  const title = useId();
  const turns = TURNS.map(([key, months, Icon]) => (
    <ActionIcon
      key={key}
      variant="subtle"
      aria-label={t(key)}
      data-mantine-stop-propagation
      onClick={() => setActive(within(calendar.addMonths(active, months)))}
    >
      <Icon size={18} />
    </ActionIcon>
  ));
  return (
    <div
      className={classes['month']}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <Group justify="space-between" wrap="nowrap" gap={4} className={classes['head']}>
        <Group gap={0} wrap="nowrap">
          {turns.slice(0, 2)}
        </Group>
        <strong id={title} aria-live="polite">
          {calendar.month(active)}
        </strong>
        <Group gap={0} wrap="nowrap">
          {turns.slice(2)}
        </Group>
      </Group>
      <Days {...{ calendar, day, min, max, active, title, onChoose }} onMove={(to) => setActive(within(to))} />
      <Button
        variant="subtle"
        size="compact-sm"
        fullWidth
        data-mantine-stop-propagation
        disabled={within(today()) !== today()}
        onClick={() => onChoose(today())}
      >
        {t('date.today')}
      </Button>
    </div>
  );
}

interface DaysProps extends Omit<Props, 'onClose'> {
  /** The day that the keys move from. */
  readonly active: number;
  readonly title: string;
  readonly onMove: (day: number) => void;
}

function Days({ calendar, day, min, max, active, title, onChoose, onMove }: DaysProps) {
  const table = useRef<HTMLTableElement>(null);
  const isMoving = useRef(false);
  useEffect(() => {
    if (isMoving.current) table.current?.querySelector<HTMLElement>(`[data-day="${active}"]`)?.focus();
    isMoving.current = false;
  }, [active]);
  const move = (event: KeyboardEvent): void => {
    const to = movedBy(event, active, calendar);
    if (to === undefined) return;
    event.preventDefault();
    isMoving.current = true;
    onMove(to);
  };
  return (
    <table role="grid" aria-labelledby={title} ref={table} onKeyDown={move}>
      <thead>
        <tr>
          {calendar.weekdays().map(({ short, long }) => (
            <th key={long} scope="col" abbr={long}>
              {short}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {calendar.weeksOf(active).map((week) => (
          <tr key={week.find((one) => one !== null)}>
            {week.map((one, column) => (
              <td key={one ?? `blank ${column}`} aria-selected={one !== null && one === day}>
                {one !== null && (
                  <button
                    type="button"
                    data-day={one}
                    data-mantine-stop-propagation
                    data-autofocus={one === active || undefined}
                    tabIndex={one === active ? 0 : -1}
                    aria-label={calendar.inWords(one)}
                    aria-current={one === today() ? 'date' : undefined}
                    disabled={(min !== null && one < min) || (max !== null && one > max)}
                    onClick={() => onChoose(one)}
                  >
                    {calendar.dayNumber(one)}
                  </button>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Where a key leads from a day; undefined for other keys. */
function movedBy({ key, shiftKey, currentTarget }: KeyboardEvent, day: number, calendar: Calendar): number | undefined {
  const forward = getComputedStyle(currentTarget).direction === 'rtl' ? -1 : 1;
  switch (key) {
    case 'ArrowRight':
      return day + forward;
    case 'ArrowLeft':
      return day - forward;
    case 'ArrowDown':
      return day + 7;
    case 'ArrowUp':
      return day - 7;
    case 'Home':
      return day - calendar.weekdayOf(day);
    case 'End':
      return day - calendar.weekdayOf(day) + 6;
    case 'PageUp':
      return calendar.addMonths(day, shiftKey ? -12 : -1);
    case 'PageDown':
      return calendar.addMonths(day, shiftKey ? 12 : 1);
    default:
      return undefined;
  }
}
