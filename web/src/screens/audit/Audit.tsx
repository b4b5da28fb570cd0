// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Route, Routes } from 'react-router';
import { AuditList } from './AuditList';

/** Everything below `#/audit`. One route, so that the list stays where it is while an event is open. */
export function Audit() {
  return (
    <Routes>
      <Route path=":position?" element={<AuditList />} />
    </Routes>
  );
}
