import { spawnSync } from 'node:child_process';

/** A series by its name and labels, such as `clients{state="allowed"}`, with its value. */
export type Series = ReadonlyMap<string, number>;

const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? ([-+]?[\d.]+(?:e[-+]?\d+)?|Nan|[-+]Inf)$/;

/**
 * Reads the text format of Prometheus (version 0.0.4) as strictly as its documentation has it, and throws for what the
 * conventions on names forbid: each family in one piece, with HELP and TYPE before it, no series twice, `_total` for
 * counters and for nothing else.
 */
export function readMetrics(text: string): Series {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const series = new Map<string, number>();
  const types = new Map<string, string>();
  let family = '';
  let helped = '';
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (word === 'HELP') {
      if (types.has(name)) throw new Error(`${name} comes in two pieces`);
      helped = name;
    } else if (word === 'TYPE') {
      if (helped !== name) throw new Error(`${name} is not explained`);
      if ((rest === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is a ${rest}`);
      types.set(name, rest);
      family = name;
    } else {
      const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      if (sample === '') throw new Error(`this is no sample: ${line}`);
      if (!sample.startsWith(family) || family === '') throw new Error(`${sample} is not of ${family}`);
      if (series.has(sample + labels)) throw new Error(`${sample}${labels} comes twice`);
      series.set(sample + labels, Number(value));
    }
  }
  return series;
}

/** The output of promtool; null if it is not installed. */
export function promtool(text: string): string | null {
  const { status, stderr, error } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  return error ? null : `${status} ${stderr}`.trim();
}
