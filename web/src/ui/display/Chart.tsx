import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
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
    const labels = names.split(',');
    const made = new UPlot(
      optionsOf({
        ...{ width, height, labels, most, bars },
        text: (value) => latest.current.text(value),
        timeText: (at) => latest.current.timeText(at),
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

interface Drawing extends Required<Pick<Props, 'text' | 'timeText' | 'bars' | 'height'>> {
  readonly width: number;
  readonly labels: readonly string[];
  readonly most: number | undefined;
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
function optionsOf({ width, height, labels, most, bars, text, timeText }: Drawing): Options {
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
