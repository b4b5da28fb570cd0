import { Rejection, reject } from '../../../../commands/rejection.js';
import { dayRange, MAX_YEARS, type RangeProblem } from '../../../../lib/time/day-range.js';
import { coded, rendered } from '../../../../messages/rendered.js';
import { statementCsv } from '../../../../projections/statement/statement-csv.js';
import { statementOfEmail, statementOfNumbers } from '../../../../projections/statement/statement-of-client.js';
import { statementOwner } from '../../../../projections/why/deleted-clients.js';
import type { Needs } from '../../context.js';
import type { clientStatementRoutes } from '../../contract/clients/statement.js';
import type { Handlers } from '../../mount.js';
import { Attachment } from '../../outcomes.js';

const CSV = 'text/csv';
/** Maximum characters of an email in a file name. */
const MAX_NAME_CHARS = 64;

export const clientStatementHandlers: Handlers<
  typeof clientStatementRoutes,
  Needs<'ledger' | 'now' | 'past' | 'read'>
> = {
  async statement(
    { params: { email }, query: { from, to, format, client } },
    { read, ledger, past, now },
    { wants: { accept }, say },
  ) {
    const owner = statementOwner(read, past, email, client);
    if (!owner) return reject('CLIENT_NOT_FOUND', { client: email });
    const answer = await ledger((books) => {
      const range = dayRange(from, to, books.days, now());
      if ('problem' in range) return refusal(range.problem);
      if (owner.client === null) return statementOfEmail(read, books, past, email, range.days, now());
      return { ...statementOfNumbers(read, books, past, [owner.client], range.days, now()), counter: null };
    });
    if ('unavailable' in answer)
      return answer.unavailable === 'unready' ? reject('LEDGER_NOT_READY') : reject('LEDGER_WRONG');
    const statement = answer.answer;
    if (statement instanceof Rejection) return statement;
    if (!statement) return reject('CLIENT_NOT_FOUND', { client: email });
    const name = owner.email;
    if (format === 'csv' || (format === '' && accept.toLowerCase().includes(CSV))) {
      return new Attachment({
        media: CSV,
        name: `statement-${fileName(name)}-${statement.from}-${statement.to}.csv`,
        text: statementCsv(rendered(statement, say)),
      });
    }
    return coded({ email: name, ...statement }, say);
  },
};

function refusal(problem: RangeProblem): Rejection {
  if (problem === 'reversed') return reject('DAYS_REVERSED');
  if (problem === 'too long') return reject('DAYS_TOO_MANY', { years: MAX_YEARS });
  return reject('DAY_UNKNOWN', { field: problem.day, value: problem.value.slice(0, 100) });
}

function fileName(email: string): string {
  return email.replaceAll(/[^A-Za-z0-9.-]/g, '_').slice(0, MAX_NAME_CHARS);
}
