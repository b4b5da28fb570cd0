import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot, { type AlignedData } from 'uplot';
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
const DAYS = [1, 2, 7, 14, 31, 92, 366].map((days) => days * 86_400);
const COLORS = ['--mantine-color-sea-5', '--mantine-color-orange-5', '--mantine-color-teal-5'];

/** Lines over time. Screen readers get the last values from the legend. */
export function Chart({ label, times, series, text, most, height = 220, bars = false, timeText }: Props) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const chart = useRef<UPlot | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const format = useFormat();
  const latest = useRef({ text, timeText: timeText ?? format.time });
  latest.current = { text, timeText: timeText ?? format.time };
  const names = series.map((one) => one.label).join();

  useEffect(() => {
    const target = place.current;
    if (!target || width === 0) return undefined;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const axis = {
      stroke: color('--muted'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
      font: '11px sans-serif',
    };
    const made = new UPlot(
      {
        width,
        height,
        legend: { show: false },
        cursor: { y: false, points: { size: 6 } },
        scales: { x: { time: true }, y: { range: (_, __, highest) => [0, most ?? Math.max(1, highest * 1.1)] } },
        axes: [
          {
            ...axis,
            size: 28,
            grid: { show: false },
            ...(bars ? { incrs: DAYS } : {}),
            values: (_, values) => values.map((value) => latest.current.timeText(value * 1000)),
          },
          {
            ...axis,
            ...(most === undefined ? { incrs: STEPS } : {}),
            size: 64,
            values: (_, values) => values.map((value) => latest.current.text(value)),
          },
        ],
        series: [
          {},
          ...names.split(',').map((name, index) => ({
            label: name,
            stroke: color(COLORS[index] ?? ''),
            ...(index === 0 ? { fill: `color-mix(in srgb, ${color(COLORS[index] ?? '')} 14%, transparent)` } : {}),
            width: bars ? 0 : 1.5,
            ...(bars && UPlot.paths.bars
              ? { paths: UPlot.paths.bars({ size: [0.7, 40] }), fill: color(COLORS[index] ?? '') }
              : {}),
            points: { show: false },
          })),
        ],
      },
      [[], ...names.split(',').map(() => [])],
      target,
    );
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [width, height, names, most, scheme, bars]);

  useEffect(() => {
    chart.current?.setData([times, ...series.map(({ values }) => values)] as unknown as AlignedData);
  }, [times, series, width, scheme, most, names, bars]);

  return (
    <figure ref={ref} className={classes['figure']} aria-label={label}>
      <div ref={place} dir="ltr" style={{ height }} />
      <figcaption className={classes['legend']}>
        {series.map(({ label: name, values }, index) => (
          <span key={name} className={classes['entry']}>
            <span className={classes['swatch']} style={{ background: `var(${COLORS[index]})` }} />
            {name} <strong className="number">{text(values.at(-1) ?? 0)}</strong>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
