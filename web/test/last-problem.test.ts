import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { lastProblem } from '../src/model/last-problem';

describe('a query that has failed', () => {
  it('keeps its problem while it asks again, until there is an answer', async () => {
    const answers: (() => Promise<string>)[] = [
      () => Promise.reject(new Error('no network')),
      () => Promise.reject(new Error('still no network')),
      () => Promise.resolve('here'),
    ];
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    const observer = new QueryObserver(client, {
      queryKey: ['list'],
      queryFn: () => answers.shift()?.() ?? Promise.reject(new Error('asked too often')),
      enabled: false,
    });
    let shown: Error | null = null;
    const seen: (string | null)[] = [];
    const stop = observer.subscribe((result) => {
      shown = lastProblem(result, shown);
      seen.push(shown?.message ?? null);
    });
    for (let asked = 0; asked < 3; asked += 1) await observer.refetch();
    await expect.poll(() => observer.getCurrentResult().data).toBe('here');
    stop();
    const changes = seen.filter((one, index) => one !== seen[index - 1]);
    expect(changes).toStrictEqual([null, 'no network', 'still no network', null]);
  });

  it('has none before the first answer, and none with data', () => {
    expect(lastProblem({ data: undefined, error: null, errorUpdateCount: 0 }, new Error('of another'))).toBeNull();
    expect(lastProblem({ data: 1, error: new Error('refetch'), errorUpdateCount: 1 }, null)).toBeNull();
  });
});
