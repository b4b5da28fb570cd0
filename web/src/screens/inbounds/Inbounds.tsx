// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { lazy, Suspense } from 'react';
import { Route, Routes } from 'react-router';
import { Loading } from '../../ui/display/Page';

const Overview = lazy(async () => ({ default: (await import('./Overview')).Overview }));
const EditInbound = lazy(async () => ({ default: (await import('./editor/Editor')).EditInbound }));
const NewInbound = lazy(async () => ({ default: (await import('./editor/Editor')).NewInbound }));

/** Everything below `#/inbounds`. */
export function Inbounds() {
  return (
    <Suspense fallback={<Loading rows={8} />}>
      <Routes>
        <Route index element={<Overview />} />
        <Route path="new" element={<NewInbound />} />
        <Route path=":id" element={<EditInbound />} />
      </Routes>
    </Suspense>
  );
}
