import type { TFunction } from 'i18next';
import type { FieldKey, Value } from './catalog';

type T = TFunction<'settings'>;

const CHOICES = {
  gregorian: 'choice.gregorian',
  jalalian: 'choice.jalalian',
  spec: 'choice.spec',
  '3x-ui': 'choice.3x-ui',
  newest: 'choice.newest',
  oldest: 'choice.oldest',
} as const;

/** A choice in the language of the admin; languages under their own names. */
export function choiceWords(t: T, choice: string): string {
  if (choice in CHOICES) return t(CHOICES[choice as keyof typeof CHOICES]);
  return new Intl.DisplayNames([choice], { type: 'language' }).of(choice) ?? choice;
}

/** A value as text, for the diff and the source. */
export function valueWords(t: T, value: Value): string {
  if (typeof value === 'boolean') return t(value ? 'on' : 'off');
  if (Array.isArray(value)) return value.length === 0 ? t('empty') : value.join(', ');
  const text = String(value);
  if (text === '') return t('empty');
  return text in CHOICES ? choiceWords(t, text) : text;
}

/** Whether a field matches a search in its label, its help or its key. */
export function matches(t: T, key: FieldKey, search: string): boolean {
  const text = `${t(key)} ${t(`${key}.help`)} ${key}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
