import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { LoadPlan, LoadResult } from './load.js';
import { quantile } from './time.js';

const BREAK = Buffer.from('\r\n\r\n');

process.once('message', (plan: LoadPlan) => {
  void run(plan).then((result) => process.send?.(result));
});

async function run(plan: LoadPlan): Promise<LoadResult> {
  const { connections, requests, seconds, expect } = plan;
  const messages = requests.map((text) => Buffer.from(text));
  const latencies: number[] = [];
  let bad = 0;
  let example = '';
  let next = 0;
  const start = performance.now();
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : start + seconds * 1000;
  const take = (): Buffer | undefined => {
    if (seconds === undefined) return messages[next++];
    return performance.now() < end ? messages[next++ % messages.length] : undefined;
  };
  const answered = (began: number, answer: Buffer): void => {
    latencies.push(performance.now() - began);
    const good = answer.toString('latin1', 9, 12) === '200' && (expect === undefined || answer.includes(expect));
    if (good) return;
    bad += 1;
    example ||= answer.toString('utf8', 0, 300);
  };
  await Promise.all(Array.from({ length: connections }, () => worker(plan, take, answered)));
  const took = (performance.now() - start) / 1000;
  return {
    count: latencies.length,
    perSecond: latencies.length / took,
    median: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    slowest: latencies.reduce((most, one) => Math.max(most, one), 0),
    bad,
    example,
  };
}

/** One connection after another, or the same one: sends a request, reads the whole answer, and continues with the next. */
async function worker(
  plan: LoadPlan,
  take: () => Buffer | undefined,
  answered: (began: number, answer: Buffer) => void,
): Promise<void> {
  if (!plan.fresh) return connection(plan, take, answered);
  for (let message = take(); message; message = take()) {
    let once: Buffer | undefined = message;
    const began = performance.now();
    await connection(
      plan,
      () => {
        const next = once;
        once = undefined;
        return next;
      },
      (_, answer) => answered(began, answer),
    );
  }
}

function connection(
  { port, tls = false, pauseMs = 0 }: LoadPlan,
  take: () => Buffer | undefined,
  answered: (began: number, answer: Buffer) => void,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const to = { port, host: '127.0.0.1', noDelay: true };
    const socket: Socket = tls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    let chunks: Buffer[] = [];
    let got = 0;
    let wanted = 0;
    let began = 0;
    const send = (): void => {
      const message = take();
      if (!message) {
        socket.destroy();
        resolve();
        return;
      }
      chunks = [];
      got = 0;
      wanted = 0;
      began = performance.now();
      socket.write(message);
    };
    socket.once(tls ? 'secureConnect' : 'connect', send);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the connection to port ${port} was closed`)));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      got += chunk.length;
      if (wanted === 0) wanted = lengthOf(chunks.length === 1 ? chunk : Buffer.concat(chunks));
      if (wanted === 0 || got < wanted) return;
      answered(began, chunks.length === 1 ? chunk : Buffer.concat(chunks));
      if (pauseMs === 0) send();
      else setTimeout(send, pauseMs);
    });
  });
}

/** Length of the whole answer in bytes; 0 until its head is complete. */
function lengthOf(bytes: Buffer): number {
  const head = bytes.indexOf(BREAK);
  if (head < 0) return 0;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1];
  if (length === undefined) throw new Error('an answer without a length');
  return head + BREAK.length + Number(length);
}
