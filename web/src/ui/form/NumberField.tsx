import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../display/format';

type Replaced = 'allowDecimal' | 'clampBehavior' | 'min' | 'max' | 'ref' | 'onChange' | 'value' | 'defaultValue';

interface Props extends Omit<NumberInputProps, Replaced> {
  readonly value?: number | string;
  /** Gets a text where it is not a possible number, or not yet. */
  readonly onChange?: (value: number | string) => void;
  /** Only whole numbers. A decimal point stays in the field, with an error: `1.5` must not become `15`. */
  readonly whole?: boolean;
  /** The smallest and the largest possible number. Others stay in the field, with an error. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/**
 * A number as it was typed: what is not possible gets an error, and its form is not sent (`blockWrongNumbers`). The number
 * field of Mantine would drop a decimal point and change a number that is too large.
 */
export function NumberField({ whole = false, min, max, value = '', onChange, error, ...others }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const problem = useProblem(String(value), { whole, min, max });
  useEffect(() => field.current?.setCustomValidity(problem), [problem]);
  return (
    <NumberInput
      {...others}
      {...(min === undefined ? {} : { min })}
      {...(max === undefined ? {} : { max })}
      ref={field}
      allowNegative={min === undefined || min < 0}
      clampBehavior="none"
      // `1.000` would become 1, and can be meant as a thousand.
      trimLeadingZeroesOnBlur={problem === ''}
      value={value}
      onChange={(next) =>
        onChange?.(
          whole && /^-?\d+$/.test(String(next)) ? Number(next) : String(next) === '' ? '' : (next as number | string),
        )
      }
      error={problem || error}
    />
  );
}

interface Limits {
  readonly whole: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** Why a text is not a possible number; empty if it is one, or if there is none. */
function useProblem(text: string, { whole, min, max }: Limits): string {
  const { t } = useTranslation('shell');
  const format = useFormat();
  if (text === '' || text === '-') return '';
  const number = Number(text);
  if (whole && /[.e]/.test(text)) return t('number.whole');
  if (min !== undefined && number < min) return t('number.least', { number: format.number(min) });
  return max !== undefined && number > max ? t('number.most', { number: format.number(max) }) : '';
}
