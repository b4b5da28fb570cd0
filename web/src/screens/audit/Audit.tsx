// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Route, Routes } from 'react-router';
import { AuditList } from './AuditList';
import { Compare } from './Compare';
import { Recount } from './recount/Recount';

/** Everything below `#/audit`. One route for the list, so that it stays where it is while an event is open. */
export function Audit() {
  return (
    <Routes>
      <Route path="compare" element={<Compare />} />
      <Route path="recount" element={<Recount />} />
      <Route path=":position?" element={<AuditList />} />
    </Routes>
  );
}
