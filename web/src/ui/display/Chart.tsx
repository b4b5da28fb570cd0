import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import UPlot, { type AlignedData, type Options } from 'uplot';
import 'uplot/dist/uPlot.min.css';
import classes from './Chart.module.css';
import { useFormat } from './format';

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
}

interface Props {
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
  readonly most?: number | undefined;
  readonly height?: number;
  /** One bar for each value, such as a day, instead of a line. */
  readonly bars?: boolean;
  /** The text of a time below the axis, given in ms; the time of day if absent. */
  readonly timeText?: (at: number) => string;
}

/** Bytes are counted in powers of two, and so are the lines of their axis. */
const STEPS = Array.from({ length: 50 }, (_, exponent) => 2 ** exponent);
/** Steps of an axis of days, in seconds. */
const DAY = 86_400;
const DAYS = [1, 2, 7, 14, 31, 92, 366].map((days) => days * DAY);
/** Steps of an axis of times, in seconds: a time is shown to the minute. */
const TIMES = [...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * 60), ...DAYS];
const AXIS_FONT = '11px sans-serif';
const AXIS_WIDTH = { least: 64, gap: 12 };
const COLORS = ['--mantine-color-sea-5', '--mantine-color-orange-5', '--mantine-color-teal-5'];

/**
 * Lines or bars over time. Below it are the values at the pointer, or at the point that the arrow keys choose; without
 * either, the last ones.
 */
export function Chart({ label, times, series, text, most, height = 220, bars = false, timeText }: Props) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const chart = useRef<UPlot | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const format = useFormat();
  const latest = useRef({ text, timeText: timeText ?? format.time });
  latest.current = { text, timeText: timeText ?? format.time };
  const names = series.map((one) => one.label).join();
  const [chosen, setChosen] = useState<number | null>(null);
  const last = times.length - 1;
  const shown = Math.min(chosen ?? last, last);
  const timeOf = (index: number): string => latest.current.timeText((times[index] ?? 0) * 1000);
  const valuesAt = (index: number): readonly string[] => series.map(({ values }) => text(values[index] ?? 0));
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = nextPoint(event.key, shown, last);
    if (next === undefined || last < 0) return;
    event.preventDefault();
    const left = next === null ? -10 : (chart.current?.valToPos(times[next] ?? 0, 'x') ?? -10);
    chart.current?.setCursor({ left, top: 0 });
  };

  useEffect(() => {
    const target = place.current;
    if (!target || width === 0) return undefined;
    const labels = names.split(',');
    const made = new UPlot(
      optionsOf({
        ...{ width, height, labels, most, bars },
        text: (value) => latest.current.text(value),
        timeText: (at) => latest.current.timeText(at),
        onPoint: setChosen,
      }),
      [[], ...labels.map(() => [])],
      target,
    );
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [width, height, names, most, scheme, bars]);

  useEffect(() => {
    // The library wants arrays that may be written, but only reads them.
    chart.current?.setData([times, ...series.map(({ values }) => values)] as unknown as AlignedData);
  }, [times, series, width, scheme, most, names, bars]);

  return (
    <figure ref={ref} className={classes['figure']} aria-label={label}>
      <div
        ref={place}
        dir="ltr"
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={[
          timeOf(shown),
          ...valuesAt(shown).map((value, index) => `${series[index]?.label}: ${value}`),
        ].join(', ')}
        onKeyDown={onKeyDown}
      />
      <figcaption className={classes['legend']}>
        {last >= 0 && <bdi className="number">{timeOf(shown)}</bdi>}
        {series.map(({ label: name }, index) => (
          <span key={name} className={classes['entry']}>
            <span className={classes['swatch']} style={{ background: `var(${COLORS[index]})` }} />
            {name} <strong className="number">{valuesAt(shown)[index]}</strong>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** The point that a key chooses; null = the last one again, undefined = the key chooses nothing. */
function nextPoint(key: string, shown: number, last: number): number | null | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
  if (key === 'Escape') return null;
  if (key === 'Home' || key === 'End') return key === 'Home' ? 0 : last;
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(last, shown + step));
}

interface Drawing extends Required<Pick<Props, 'text' | 'timeText' | 'bars' | 'height'>> {
  readonly width: number;
  readonly labels: readonly string[];
  readonly most: number | undefined;
  /** Gets the index of the point under the cursor; null = none. */
  readonly onPoint: (index: number | null) => void;
}

/** As wide as the longest text beside it, in CSS pixels. No texts before the chart has values. */
function axisWidth(ctx: CanvasRenderingContext2D, texts: readonly string[] | null): number {
  ctx.save();
  ctx.font = AXIS_FONT;
  const widths = (texts ?? []).map((text) => ctx.measureText(text).width);
  ctx.restore();
  return Math.max(AXIS_WIDTH.least, ...widths.map((width) => Math.ceil(width) + AXIS_WIDTH.gap));
}

/** The chart in the colours of the theme. */
function optionsOf({ width, height, labels, most, bars, text, timeText, onPoint }: Drawing): Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: AXIS_FONT,
  };
  const shape = (stroke: string, index: number) => {
    if (bars && UPlot.paths.bars) return { paths: UPlot.paths.bars({ size: [0.7, 40] }), fill: stroke, width: 0 };
    return { width: 1.5, ...(index === 0 ? { fill: `color-mix(in srgb, ${stroke} 14%, transparent)` } : {}) };
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: {
      // The first and the last bar stand in the middle of their day.
      x: bars ? { time: true, range: (_, first, last) => [first - DAY / 2, last + DAY / 2] } : { time: true },
      y: { range: (_, __, highest) => [0, most ?? Math.max(1, highest * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        gap: 8,
        grid: { show: false },
        incrs: bars ? DAYS : TIMES,
        values: (_, values) => values.map((value) => timeText(value * 1000)),
      },
      {
        ...axis,
        ...(most === undefined ? { incrs: STEPS } : {}),
        size: (chart, values) => axisWidth(chart.ctx, values),
        values: (_, values) => values.map((value) => text(value)),
      },
    ],
    series: [
      {},
      ...labels.map((label, index) => {
        const stroke = color(COLORS[index] ?? '');
        return { label, stroke, points: { show: false }, ...shape(stroke, index) };
      }),
    ],
  };
}
