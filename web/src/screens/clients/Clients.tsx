// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { lazy, Suspense } from 'react';
import { Route, Routes } from 'react-router';
import { Loading } from '../../ui/display/Page';
import { ClientList } from './list/ClientList';

const ClientPage = lazy(async () => ({ default: (await import('./page/ClientPage')).ClientPage }));

/** The list of the clients, and below it one client. */
export function Clients() {
  return (
    <Suspense fallback={<Loading rows={6} />}>
      <Routes>
        <Route index element={<ClientList />} />
        <Route path=":email" element={<ClientPage />} />
      </Routes>
    </Suspense>
  );
}
