import { ActionIcon, Popover, TextInput, type TextInputProps } from '@mantine/core';
import IconCalendar from '@tabler/icons-react/dist/esm/icons/IconCalendar.mjs';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Calendar, dayOfValue, isDate, today, valueOfDay } from '../../model/calendar';
import { useFormat } from '../display/format';
import { MonthGrid } from './MonthGrid';

interface Props extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'min' | 'max' | 'type'> {
  /** `2026-11-23`, with `timeOfDay` `2026-11-23T14:05`; empty for none. */
  readonly value?: string;
  /** Gets the value; what was typed where it is not a date (`isDate`). */
  readonly onChange: (value: string) => void;
  /** The field has a time too. This is the one of a day without it, such as `00:00`. */
  readonly timeOfDay?: string;
  /** The first and the last possible day, as values. */
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** A date, with or without a time, in the calendar of the page: typed, or chosen from a month. */
export function DateField({ value = '', onChange, timeOfDay = '', min = '', max = '', ...input }: Props) {
  const { t } = useTranslation('shell');
  const calendar = useFormat().calendar();
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const typing = useTyping(value, calendar);
  const problem = useProblem({ text: typing.text, calendar, timeOfDay, min, max });
  const change = (text: string): void => {
    const next = text.trim() === '' ? '' : (calendar.read(text, timeOfDay) ?? text);
    typing.type(text, next);
    onChange(next);
  };
  const close = (): void => {
    setOpen(false);
    field.current?.focus();
  };
  const choose = (day: number): void => {
    const time = value.slice(11) || timeOfDay;
    typing.end();
    onChange(time === '' ? valueOfDay(day) : `${valueOfDay(day)}T${time}`);
    close();
  };
  return (
    <TextInput
      {...input}
      ref={field}
      dir="ltr"
      autoComplete="off"
      placeholder={t('date.example', { day: calendar.text(valueOfDay(today()) + (timeOfDay && `T${timeOfDay}`)) })}
      value={typing.text}
      error={(!typing.isActive && problem) || input.error}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onFocus={typing.begin}
      onBlur={() => typing.end(problem !== '')}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' || !event.altKey) return;
        event.preventDefault();
        setOpen(true);
      }}
      rightSection={
        <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" trapFocus>
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              aria-label={t('date.open')}
              disabled={input.disabled ?? false}
              onClick={() => setOpen(!isOpen)}
            >
              <IconCalendar size={18} />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown p="xs" aria-label={t('date.open')}>
            <MonthGrid
              calendar={calendar}
              day={isDate(value) ? dayOfValue(value) : null}
              min={isDate(min) ? dayOfValue(min) : null}
              max={isDate(max) ? dayOfValue(max) : null}
              onChoose={choose}
              onClose={close}
            />
          </Popover.Dropdown>
        </Popover>
      }
    />
  );
}

/** The text of the field: what is typed, as long as the field has the focus or the text is wrong; else that of the value. */
function useTyping(value: string, calendar: Calendar) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isActive, setActive] = useState(false);
  const last = useRef(value);
  useEffect(() => {
    // A value from elsewhere, such as a button beside the field.
    if (value !== last.current) setTyped(null);
    last.current = value;
  }, [value]);
  return {
    isActive,
    text: typed ?? calendar.text(value),
    begin: () => setActive(true),
    type(text: string, next: string) {
      setTyped(text);
      last.current = next;
    },
    end(keeps = false) {
      setActive(false);
      if (!keeps) setTyped(null);
    },
  };
}

interface Checked {
  readonly text: string;
  readonly calendar: Calendar;
  readonly timeOfDay: string;
  readonly min: string;
  readonly max: string;
}

/** Why a text cannot be used; empty if it can. */
function useProblem({ text, calendar, timeOfDay, min, max }: Checked): string {
  const { t } = useTranslation('shell');
  if (text.trim() === '') return '';
  const value = calendar.read(text, timeOfDay);
  if (value === undefined) return t('date.wrong', { example: calendar.text(valueOfDay(today())) });
  const day = value.slice(0, 10);
  if (min !== '' && day < min.slice(0, 10)) return t('date.early', { day: calendar.text(min.slice(0, 10)) });
  return max !== '' && day > max.slice(0, 10) ? t('date.late', { day: calendar.text(max.slice(0, 10)) }) : '';
}
