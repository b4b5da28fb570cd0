import { describe, expect, it } from 'vitest';
import { type Loadable, together } from '../src/model/loadable';

const asked: string[] = [];
const query = (name: string, data: string | undefined, error: Error | null = null): Loadable<string> => ({
  ...{ data, error, errorUpdateCount: error ? 1 : 0 },
  refetch: () => asked.push(name),
});

describe('several queries as one', () => {
  it('have data when all have', () => {
    expect(together([query('a', 'A'), query('b', 'B')])).toMatchObject({ data: ['A', 'B'], error: null });
    expect(together([query('a', 'A'), query('b', undefined)])).toMatchObject({ data: undefined, error: null });
    expect(together([])).toMatchObject({ data: [], error: null });
  });

  it('have the first problem of those without data, and ask only these again', () => {
    const problem = new Error('no network');
    const stale = query('stale', 'S', new Error('refetch'));
    const all = together([stale, query('waits', undefined), query('failed', undefined, problem)]);
    expect(all).toMatchObject({ data: undefined, error: problem, errorUpdateCount: 1 });
    all.refetch();
    expect(asked).toStrictEqual(['waits', 'failed']);
    expect(together([stale])).toMatchObject({ data: ['S'], error: null });
  });
});
